// Parses webpack: `ERROR in ./file line:column`, then the message up to an empty line; ts-loader adds its own location.
import { type DiagnosticReader, withContext } from "./diagnostic.ts";

const HEADLINE = /^(ERROR|WARNING) in (\S{1,400}?)(?:[ :](\d{1,9}):(\d{1,9})\S*)?$/;
const LOADER = /^\[tsl\] (?:ERROR|WARNING) in (\S.{0,400})\((\d{1,9}),(\d{1,9})\)$/;
const CODE = /^\s*(TS\d{1,6}): (\S.*)$/;
const FAILED_LOADER = /^Module build failed /;
/** Removes the location from the message, because it moves when lines are added above. */
const PLACE_AT_END = / \(\d{1,9}:\d{1,9}\)$/;
const LOOK_AHEAD = 3;

export const webpack: DiagnosticReader = (lines, at) => {
  const [, severity, module, row, place] = HEADLINE.exec(lines[at] ?? "") ?? [];
  if (module === undefined) return undefined;
  const below = lines.slice(at + 1, at + 1 + LOOK_AHEAD);
  const coded = below.findIndex((line) => CODE.test(line));
  const [, code, codeMessage] = CODE.exec(below[coded] ?? "") ?? [];
  const skipped = FAILED_LOADER.test(below[0] ?? "") ? 1 : 0;
  const start = at + 1 + (codeMessage === undefined ? skipped : coded);
  const message = (codeMessage ?? below[skipped] ?? "").trim().replace(PLACE_AT_END, "");
  if (message === "") return undefined;
  const [, file = module, line = row, column = place] =
    below.map((each) => LOADER.exec(each)).find(Boolean) ?? [];
  const diagnostic = {
    tool: "webpack",
    severity: severity === "WARNING" ? ("warning" as const) : ("error" as const),
    file: file.replace(/^\.\//, ""),
    ...(line !== undefined && { line: Number(line), column: Number(column) }),
    ...(code !== undefined && { code }),
    message,
  };
  return withContext(diagnostic, {
    lines,
    at: start,
    belongs: (next) => next.trim() !== "" && !HEADLINE.test(next),
  });
};
