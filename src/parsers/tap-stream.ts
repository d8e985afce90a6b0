// Parses one TAP stream into a tree of test points. Subtests are indented before their parent's point (TAP 14,
// node:test) or in braces after it (vitest).
import { type TapFields, tapFields } from "./tap-fields.ts";

export interface TapPoint {
  readonly name: string;
  readonly ok: boolean;
  /** SKIP or TODO: neither passed nor failed. */
  readonly skipped: boolean;
  readonly indent: number;
  readonly children: TapPoint[];
  fields: TapFields;
  /** Comments below a failed point, where bats and Perl print the reason. */
  readonly comments: string[];
  /** Comments since the previous point, where node:test quotes the output of a file that did not load. */
  readonly before: readonly string[];
}

export interface TapStream {
  readonly hasVersion: boolean;
  readonly points: TapPoint[];
  plan: number | undefined;
  bailOut: string | undefined;
  /** The values of "# tests", "# pass" and the like at the end. */
  readonly totals: Map<string, number>;
  endsAt: number;
}

// Limits nesting, so that walking the tree cannot overflow the stack.
const POINT = /^( {0,64})(not )?ok (?:\d{1,9}(?: -)?|-)(?: (.*))?$/;
const MOST_BRACES = 8;
const PLAN = /^1\.\.(\d{1,9})(?:\s*#.*)?$/;
const BAIL_OUT = /^\s{0,64}Bail out!(.*)$/;
const TOTAL = /^# (tests|pass|fail|cancelled) +(\d{1,9})$/;
const DIRECTIVE = /(?:^|\s)#\s*(skip|todo|time=)/i;
const MOST_FIELD_LINES = 500;
const MOST_COMMENTS = 50;
const COMMENT = /^ {0,64}# ?(.*)$/;
/** What node-tap prints between points: the next subtest, and totals. */
const BETWEEN = /^(?:Subtest: |failed \d{1,9} (?:of \d{1,9} )?tests?$|(?:todo|skip): \d|time=\d)/;

export function tapStream(lines: readonly string[], from: number, to: number): TapStream {
  const stream: TapStream = {
    hasVersion: isVersion(lines[from]),
    points: [],
    plan: undefined,
    bailOut: undefined,
    totals: new Map(),
    endsAt: from,
  };
  const levels: TapPoint[][] = [stream.points];
  let last: TapPoint | undefined;
  let before: string[] = [];
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? "";
    const point = pointIn(line, before);
    if (point === undefined) {
      if (line.trim() === "}" && levels.length > 1) levels.pop();
      if (readOther(stream, line)) stream.endsAt = at;
      else readComment(line, before, last);
      continue;
    }
    before = [];
    last = point;
    adopt(levels.at(-1) ?? stream.points, point);
    if (line.endsWith(" {") && levels.length <= MOST_BRACES) levels.push(point.children);
    const end = fieldsEnd(lines, at + 1, to);
    if (end !== undefined) point.fields = tapFields(lines.slice(at + 2, end));
    at = end ?? at;
    stream.endsAt = at;
  }
  return stream;
}

function readOther(stream: TapStream, line: string): boolean {
  const [, total, number] = TOTAL.exec(line) ?? [];
  const [, planned] = PLAN.exec(line) ?? [];
  const [, reason] = BAIL_OUT.exec(line) ?? [];
  if (total !== undefined) stream.totals.set(total, Number(number));
  else if (planned !== undefined) stream.plan = Number(planned);
  else if (reason !== undefined) stream.bailOut = reason.trim();
  else return false;
  return true;
}

/** A comment belongs to the failed point above it, or to the next point. */
function readComment(line: string, before: string[], last: TapPoint | undefined): void {
  const [, comment] = COMMENT.exec(line) ?? [];
  if (comment === undefined) return;
  if (before.length < MOST_COMMENTS) before.push(comment);
  const isAbout = last !== undefined && !last.ok && !BETWEEN.test(comment);
  if (isAbout && last.comments.length < MOST_COMMENTS) last.comments.push(comment);
}

export function isVersion(line: string | undefined): boolean {
  return /^TAP version 1[234]$/.test(line ?? "");
}

function pointIn(line: string, before: readonly string[]): TapPoint | undefined {
  const [matched, indent = "", not, rest = ""] = POINT.exec(line) ?? [];
  if (matched === undefined) return undefined;
  const [, directive] = DIRECTIVE.exec(rest) ?? [];
  return {
    name: rest
      .split(DIRECTIVE, 1)
      .join("")
      .replace(/ \{$/, "")
      .replace(/\\([#\\])/g, "$1"),
    ok: not === undefined,
    skipped: directive !== undefined && !directive.endsWith("="),
    indent: indent.length,
    children: [],
    fields: new Map(),
    comments: [],
    before,
  };
}

// Deeper points just before this one are its subtests.
function adopt(level: TapPoint[], point: TapPoint): void {
  let start = level.length;
  while (start > 0 && (level[start - 1]?.indent ?? 0) > point.indent) start--;
  for (const child of level.splice(start)) point.children.push(child);
  level.push(point);
}

function fieldsEnd(lines: readonly string[], start: number, to: number): number | undefined {
  const opening = lines[start] ?? "";
  if (!/^ +---$/.test(opening)) return undefined;
  const closing = opening.replace("---", "...");
  const limit = Math.min(to, start + MOST_FIELD_LINES);
  for (let at = start + 1; at < limit; at++) if (lines[at] === closing) return at;
  return undefined;
}
