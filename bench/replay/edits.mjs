// Bad edits of source files, as functions of their text: wrong ones, and ones that do not build.

const COMMENT = Object.fromEntries(
  ["py", "rb", "pm", "pl", "t", "sh", "bash", "bats"].map((ending) => [ending, "#"]),
);
const CODE = /\.(?:[cm]?[jt]sx?|py|go|rs|c|h|cc|cpp|hpp|java|kt|rb|php|p[lm]|t|sh|bash|bats)$/;

export const isCode = (file) => CODE.test(file);

const endingOf = (file) => file.slice(file.lastIndexOf(".") + 1);

/** A line that changes the file and nothing else, so that two attempts are never the same tree. */
export const comment = (file, text) => `${COMMENT[endingOf(file)] ?? "//"} ${text}\n`;

const FLIPS = [
  [/===/, "!=="],
  [/!==/, "==="],
  [/==/, "!="],
  [/!=/, "=="],
  [/&&/, "||"],
  [/\btrue\b/, "false"],
  [/\bfalse\b/, "true"],
  [/\bTrue\b/, "False"],
  [/\bFalse\b/, "True"],
  [/\bif not /, "if "],
  [/ \+ 1\b/, " + 2"],
];

/** The text with one condition turned round, near the given lines (from 1) first; nearest candidates come first. */
export function wrongEdits(text, near) {
  const lines = text.split("\n");
  const distance = (index) => Math.min(...near.map((line) => Math.abs(line - 1 - index)));
  return lines
    .flatMap((line, index) =>
      FLIPS.filter(([from]) => from.test(line)).map(([from, to]) => ({
        index,
        line: line.replace(from, to),
      })),
    )
    .sort((a, b) => distance(a.index) - distance(b.index))
    .map(({ index, line }) => lines.with(index, line).join("\n"));
}

const BROKEN = "@@ this does not build @@";

/** The text with a last line that no compiler or interpreter accepts, and the number of that line. */
export function breakBuild(text) {
  const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return { text: `${whole}${BROKEN}\n`, line: whole.split("\n").length };
}
