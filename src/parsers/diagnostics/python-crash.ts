// Parses Python tracebacks and syntax errors. In a chain of exceptions, the last one counts.
import type { DiagnosticReader } from "./diagnostic.ts";

const TRACEBACK = /^Traceback \(most recent call last\):$/;
const FRAME = /^\s+File "(.{1,400}?)", line (\d{1,9})(?:, in .*)?$/;
const EXCEPTION = /^[A-Za-z_][\w.]{0,200}(?:: .*)?$/;
const CHAINED = /^(?:The above exception was the direct cause|During handling of the above exception)/;
const FOREIGN = /^<|^\/|^[A-Za-z]:\\|(?:^|\/)(?:site-packages|dist-packages)\//;
const LONGEST_STACK = 500;
const CONTEXT_LINES = 12;

interface Stack {
  readonly from: number;
  readonly frames: readonly (readonly [file: string, line: number])[];
  /** The first line after the stack. */
  readonly end: number;
}

function stackAt(lines: readonly string[], from: number): Stack {
  const frames: (readonly [string, number])[] = [];
  let end = from;
  for (; end < Math.min(lines.length, from + LONGEST_STACK) && /^\s/.test(lines[end] ?? ""); end++) {
    const [, file, line] = FRAME.exec(lines[end] ?? "") ?? [];
    if (file !== undefined) frames.push([file, Number(line)]);
  }
  return { from, frames, end };
}

/** The stack of the next exception in the chain, raised while this one was handled. */
function nextInChain(lines: readonly string[], { end }: Stack): Stack | undefined {
  const chained = lines.slice(end + 1, end + 4).findIndex((line) => CHAINED.test(line));
  if (chained < 0) return undefined;
  const start = end + 2 + chained;
  const below = lines.slice(start, start + 3).findIndex((line) => TRACEBACK.test(line));
  return below < 0 ? undefined : stackAt(lines, start + below + 1);
}

function lastInChain(lines: readonly string[], first: Stack): Stack {
  let stack = first;
  for (let next = nextInChain(lines, stack); next !== undefined; next = nextInChain(lines, next))
    stack = next;
  return stack;
}

export const pythonCrash: DiagnosticReader = (lines, at) => {
  const text = lines[at] ?? "";
  const isTraceback = TRACEBACK.test(text);
  if (!isTraceback && !FRAME.test(text)) return undefined;
  const { from, frames, end } = lastInChain(lines, stackAt(lines, isTraceback ? at + 1 : at));
  const message = lines[end] ?? "";
  const [file, line] = frames.findLast(([path]) => !FOREIGN.test(path)) ?? frames.at(-1) ?? [];
  // A stack without its exception is useless.
  if (file === undefined || line === undefined || !EXCEPTION.test(message))
    return { diagnostics: [], next: end };
  const context = lines
    .slice(from, end)
    .filter((each) => !each.includes('File "<frozen '))
    .slice(-CONTEXT_LINES);
  const place = { tool: "python", severity: "error", file, line } as const;
  return { diagnostics: [{ ...place, message, context, crash: true }], next: end + 1 };
};
