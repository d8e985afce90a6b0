// A table for people, which Markdown reads too: the first row is its head, and all but the first column are numbers.

export function table([head, ...rows]) {
  const lines = [head, head.map((_, at) => (at === 0 ? "---" : "--:")), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
