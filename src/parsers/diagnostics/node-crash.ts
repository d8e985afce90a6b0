// Parses an uncaught error of Node.js: `file:line`, the source with a caret, the error, its stack.
import { locate } from "#text/location";
import type { DiagnosticReader } from "./diagnostic.ts";

/** Mocha prints "Exception during run: " before it. */
const HEADING = /^\s{0,8}(?:[^\s:/][^:/]{0,60}: )?(?:file:\/\/)?(\S{1,400}):(\d{1,9})$/;
const CARET = /^\s*\^+\s*$/;
const ERROR = /^(?:Uncaught )?([A-Z]\w{0,100}(?:Error|Exception)|Error)(?: \[\w+\])?: (.+)$/;
const FRAME = /^\s+at \S/;
const IMPORTER = / imported from (\S{1,400})$/;
const REQUIRER = /^- (\S{1,400})$/;
const QUOTED_LINES = 6;
const STACK_LINES = 60;
const MESSAGE_LINES = 12;

/** Location of the error: its heading, else the first frame, else the importer of the missing module. */
function locationOf(heading: RegExpExecArray, error: string, stack: readonly string[]): string | undefined {
  const [, file = "", line] = heading;
  if (!file.startsWith("node:")) return `${file}:${line}`;
  const [, importer] = IMPORTER.exec(error) ?? [];
  const required = stack.flatMap((each) => REQUIRER.exec(each)?.[1] ?? [])[0];
  return locate(stack.filter((each) => FRAME.test(each))) ?? importer ?? required;
}

export const nodeCrash: DiagnosticReader = (lines, at) => {
  const heading = HEADING.exec(lines[at] ?? "");
  if (heading === null) return undefined;
  const caret = lines.slice(at + 1, at + 1 + QUOTED_LINES).findIndex((line) => CARET.test(line));
  if (caret < 0) return undefined;
  const below = at + 2 + caret;
  const start = below + ((lines[below] ?? "").trim() === "" ? 1 : 0);
  const message = lines[start] ?? "";
  if (!ERROR.test(message)) return undefined;
  const rest = lines.slice(start + 1, start + 1 + STACK_LINES);
  const end = rest.findIndex((line) => /^Node\.js v\d/.test(line));
  const stack = end < 0 ? rest : rest.slice(0, end);
  const place = locationOf(heading, message, stack);
  if (place === undefined) return undefined;
  const [, file = place, line] = /^(.*?)(?::(\d+))?$/.exec(place) ?? [];
  const firstFrame = stack.findIndex((each) => FRAME.test(each));
  const messageLines = stack.slice(0, Math.min(firstFrame < 0 ? stack.length : firstFrame, MESSAGE_LINES));
  const quote = heading[1]?.startsWith("node:") ? [] : lines.slice(at + 1, below);
  const diagnostic = {
    tool: "node",
    severity: "error",
    file,
    ...(line !== undefined && { line: Number(line) }),
    message,
    context: [...messageLines.filter((each) => each.trim() !== ""), ...quote],
    crash: true,
  } as const;
  return { diagnostics: [diagnostic], next: start + 1 + (end < 0 ? messageLines.length : end + 1) };
};
