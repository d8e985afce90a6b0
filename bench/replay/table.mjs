// Prints the rows as a table for a terminal or as Markdown. Pure.

const share = ({ done, of }) => (of === 0 ? "–" : `${done} of ${of}`);
const yes = (holds) => (holds ? "yes" : "NO");

const COLUMNS = [
  ["fix", (row) => row.name],
  ["seed", (row) => String(row.seed)],
  ["bad iterations", (row) => row.bad.join(" ")],
  [
    "outcome",
    (row) =>
      `${row.outcome} ${row.iteration}${row.iteration === row.expected ? "" : ` (fix ${row.expected})`}`,
  ],
  ["named", (row) => share(row.named)],
  ["build error", (row) => share(row.buildError)],
  ["put back", (row) => share(row.putBack)],
  ["claim told", (row) => share(row.claim)],
  ["accused", (row) => String(row.accusations.length)],
  ["index, refs", (row) => yes(row.untouched)],
  ["tree = fix", (row) => yes(row.difference.length === 0)],
  [
    "seconds (gates, agent)",
    ({ seconds, gateSeconds, agentSeconds }) =>
      `${seconds.toFixed(1)} (${gateSeconds.toFixed(1)}, ${agentSeconds.toFixed(1)})`,
  ],
  ["as wanted", (row) => yes(row.asWanted)],
];

const cellsOf = (row) => COLUMNS.map(([, cell]) => cell(row));

export function markdown(rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const titles = COLUMNS.map(([title]) => title);
  return [line(titles), line(titles.map(() => "---")), ...rows.map((row) => line(cellsOf(row)))].join("\n");
}

export function text(rows) {
  const lines = [COLUMNS.map(([title]) => title), ...rows.map(cellsOf)];
  const widths = COLUMNS.map((_, index) => Math.max(...lines.map((cells) => cells[index].length)));
  return lines
    .map((cells) =>
      cells
        .map((cell, index) => cell.padEnd(widths[index]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** What is not as wanted in a row, in words; the table only has the numbers. */
export function findings(row) {
  return [
    ...(row.outcome === "converged" && row.iteration < row.expected
      ? ["accepted before the fix was applied"]
      : []),
    ...(row.outcome === "converged" ? [] : [`${row.outcome}: ${row.reason}`]),
    ...row.accusations.map((each) => `falsely accused: ${each}`),
    ...(row.outcome === "converged" ? row.difference.map((file) => `differs from the fix: ${file}`) : []),
    ...(row.untouched ? [] : ["the user's index or refs changed"]),
  ];
}
