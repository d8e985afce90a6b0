// Parses pytest's output for a conftest.py that cannot be imported: its own stack format, without a summary.
import type { DiagnosticReader } from "./diagnostic.ts";

const HEADING = /^ImportError while loading conftest '(.{1,400})'\.$/;
const FRAME = /^(\S{1,400}\.pyx?):(\d{1,9}): in /;
const UNPARSED = /^E +File "(.{1,400}?)", line (\d{1,9})$/;
const EXCEPTION = /^E {3}([A-Za-z_][\w.]{0,200}(?:: .*)?)$/;
const BELONGS = /^(?:E |\s|\S{1,400}:\d{1,9}: in )/;
const FOREIGN = /(?:^|\/)(?:site-packages|dist-packages)\//;
const LONGEST_STACK = 200;
const CONTEXT_LINES = 12;

export const conftestCrash: DiagnosticReader = (lines, at) => {
  const [, conftest] = HEADING.exec(lines[at] ?? "") ?? [];
  if (conftest === undefined) return undefined;
  const rest = lines.slice(at + 1, at + 1 + LONGEST_STACK);
  const end = rest.findIndex((line) => !BELONGS.test(line));
  const stack = end < 0 ? rest : rest.slice(0, end);
  const frames = stack.flatMap((line) => [FRAME.exec(line) ?? []].filter(([match]) => match !== undefined));
  const unparsed = stack.flatMap((line) =>
    [UNPARSED.exec(line) ?? []].filter(([match]) => match !== undefined),
  );
  const [, file = conftest, line] =
    unparsed.at(-1) ?? frames.findLast(([, path = ""]) => !FOREIGN.test(path)) ?? frames.at(-1) ?? [];
  const message = stack.flatMap((each) => EXCEPTION.exec(each)?.[1] ?? []).at(-1) ?? "cannot be imported";
  const place = {
    tool: "pytest",
    severity: "error",
    file,
    ...(line !== undefined && { line: Number(line) }),
  } as const;
  const context = stack.slice(-CONTEXT_LINES);
  return { diagnostics: [{ ...place, message, context, crash: true }], next: at + 1 + stack.length };
};
