// Parses a unified diff of git into files, hunks and numbered lines. The diff is untrusted: what does not fit is skipped.
import { unquoted } from "./unquoted.ts";

export interface DiffLine {
  readonly kind: "context" | "added" | "removed";
  readonly text: string;
  /** Line numbers in the old and the new file. */
  readonly before?: number;
  readonly after?: number;
  /** The file ends here without a newline. */
  readonly open?: true;
}

export interface Hunk {
  /** The function around the hunk, as git names it. */
  readonly where: string;
  readonly from: number;
  readonly to: number;
  readonly lines: readonly DiffLine[];
}

export interface DiffFile {
  readonly path: string;
  /** The earlier path of a renamed or copied file. */
  readonly from?: string;
  readonly change: "added" | "deleted" | "renamed" | "copied" | "changed";
  readonly modes?: { readonly before: string; readonly after: string };
  readonly binary: boolean;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
}

interface OpenHunk {
  where: string;
  from: number;
  to: number;
  lines: DiffLine[];
  /** Lines left on each side, by the hunk's header. */
  oldLeft: number;
  newLeft: number;
}

interface OpenFile {
  path: string;
  from?: string;
  change: DiffFile["change"];
  before?: string;
  after?: string;
  binary: boolean;
  hunks: OpenHunk[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** Strips the `a/` or `b/` prefix; undefined for /dev/null. */
function sidePath(raw: string): string | undefined {
  const path = unquoted(raw.replace(/\t$/, ""));
  if (path === "/dev/null") return undefined;
  return path.replace(/^[ab]\//, "");
}

/** The path in `diff --git a/x b/x`; the header lines below it take precedence. */
function headPath(rest: string): string {
  const quoted = /^.* ("b\/(?:[^"\\]|\\.)*")$/.exec(rest)?.[1];
  if (quoted) return sidePath(quoted) ?? "";
  const half = (rest.length - 1) / 2;
  if (Number.isInteger(half) && rest.slice(2, half) === rest.slice(half + 3)) return rest.slice(half + 3);
  return rest.slice(rest.lastIndexOf(" b/") + 3);
}

/** Parsers of the header lines before the hunks. */
const HEADERS: Readonly<Record<string, (rest: string) => Partial<OpenFile>>> = {
  "old mode ": (before) => ({ before }),
  "new mode ": (after) => ({ after }),
  "new file mode ": () => ({ change: "added" }),
  "deleted file mode ": () => ({ change: "deleted" }),
  "rename from ": (path) => ({ change: "renamed", from: unquoted(path) }),
  "rename to ": (path) => ({ path: unquoted(path) }),
  "copy from ": (path) => ({ change: "copied", from: unquoted(path) }),
  "copy to ": (path) => ({ path: unquoted(path) }),
  "Binary files ": () => ({ binary: true }),
  "GIT binary patch": () => ({ binary: true }),
  "--- ": named,
  "+++ ": named,
};

function named(raw: string): Partial<OpenFile> {
  const path = sidePath(raw);
  return path === undefined ? {} : { path };
}

function readHeader(file: OpenFile, line: string): void {
  for (const [prefix, read] of Object.entries(HEADERS))
    if (line.startsWith(prefix)) Object.assign(file, read(line.slice(prefix.length)));
}

function openHunk(head: RegExpExecArray): OpenHunk {
  const [, from = "0", old = "1", to = "0", fresh = "1", where = ""] = head;
  return { where, from: +from, to: +to, lines: [], oldLeft: +old, newLeft: +fresh };
}

/** True when the line belongs to the hunk. */
function readLine(hunk: OpenHunk, next: { before: number; after: number }, line: string): boolean {
  const text = line.slice(1);
  if (line.startsWith("\\")) {
    const last = hunk.lines.pop();
    if (last) hunk.lines.push({ ...last, open: true });
    return true;
  }
  if (hunk.oldLeft <= 0 && hunk.newLeft <= 0) return false;
  if (line.startsWith("+")) {
    hunk.lines.push({ kind: "added", text, after: next.after++ });
    hunk.newLeft--;
  } else if (line.startsWith("-")) {
    hunk.lines.push({ kind: "removed", text, before: next.before++ });
    hunk.oldLeft--;
  } else if (line.startsWith(" ") || line === "") {
    hunk.lines.push({ kind: "context", text, before: next.before++, after: next.after++ });
    hunk.oldLeft--;
    hunk.newLeft--;
  } else return false;
  return true;
}

function count(file: OpenFile, kind: DiffLine["kind"]): number {
  return file.hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.kind === kind).length, 0);
}

function closed(file: OpenFile): DiffFile {
  const { path, from, change, before, after, binary } = file;
  return {
    path,
    ...(from !== undefined && { from }),
    change,
    ...(before !== undefined && after !== undefined && { modes: { before, after } }),
    binary,
    added: count(file, "added"),
    removed: count(file, "removed"),
    hunks: file.hunks.map(({ where, from, to, lines }) => ({ where, from, to, lines })),
  };
}

export function parseDiff(diff: string): readonly DiffFile[] {
  const files: OpenFile[] = [];
  let hunk: OpenHunk | undefined;
  let next = { before: 0, after: 0 };
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    // Inside a hunk its counts decide, because a removed line may look like a header.
    if (hunk && readLine(hunk, next, line)) continue;
    const file = files.at(-1);
    if (line.startsWith("diff --git ")) {
      hunk = undefined;
      files.push({ path: headPath(line.slice(11)), change: "changed", binary: false, hunks: [] });
      continue;
    }
    if (!file) continue;
    const head = HUNK.exec(line);
    if (head) {
      hunk = openHunk(head);
      next = { before: hunk.from, after: hunk.to };
      file.hunks.push(hunk);
    } else if (!hunk) readHeader(file, line);
  }
  return files.map(closed);
}
