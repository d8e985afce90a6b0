// Changes a JSON text in place: what is not changed stays as it was written, to the byte, and what was put in can be
// taken out again without a trace.

interface Member {
  readonly key: string;
  readonly start: number;
  readonly value: Value;
}

interface Value {
  readonly start: number;
  readonly end: number;
  /** Of an object or a list; a list's keys are its indexes. */
  readonly members?: readonly Member[];
}

type Path = readonly string[];

const BLANKS = /[\s,:]*/y;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const SCALAR = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s,\]}]+/y;

/** Where everything stands. Only for texts that JSON.parse accepts. */
function scan(text: string): Value {
  let at = 0;
  const read = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  const member = (opening: string, index: number): Member => {
    const start = at;
    const key = opening === "{" ? JSON.parse(read(STRING)) : String(index);
    return { key, start, value: value() };
  };
  const value = (): Value => {
    read(BLANKS);
    const start = at;
    const opening = text[at] ?? "";
    if (opening !== "{" && opening !== "[") return { start, end: at + read(SCALAR).length };
    at += 1;
    const members: Member[] = [];
    for (read(BLANKS); text[at] !== "}" && text[at] !== "]"; read(BLANKS))
      members.push(member(opening, members.length));
    at += 1;
    return { start, end: at, members };
  };
  return value();
}

/** How the text is written: its line ends, and what one level is indented by. */
function styleOf(text: string, root: Value) {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const before = text.slice(root.start + 1, root.members?.[0]?.start ?? root.start + 1);
  const unit = before.includes("\n") ? before.slice(before.lastIndexOf("\n") + 1) : "  ";
  const written = (value: unknown, indent: string) =>
    JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
  return { eol, unit, written };
}

function valueAt(root: Value, path: Path): Value {
  let value = root;
  for (const key of path) {
    // Of two members with one name the last one counts, as everywhere.
    const found = value.members?.findLast((member) => member.key === key);
    if (!found) throw new Error(`nothing at ${path.join(".")}`);
    value = found.value;
  }
  return value;
}

const spliced = (text: string, from: number, to: number, by = "") =>
  text.slice(0, from) + by + text.slice(to);

/** A blank before the line end: the mark of an object or list that was there, empty, before something was put in. */
const wasEmpty = (eol: string) => ` ${eol}`;

/** Puts a member at the end of the object or list at `path`; an element of a list has no key. */
export function put(text: string, path: Path, key: string | undefined, value: unknown): string {
  const root = scan(text);
  const { eol, unit, written } = styleOf(text, root);
  const { start, members = [] } = valueAt(root, path);
  const last = members.at(-1);
  const beside = last && /\n([^\S\n]*)$/.exec(text.slice(start, last.start))?.[1];
  const indent = beside ?? unit.repeat(path.length + 1);
  const member = `${key === undefined ? "" : `${JSON.stringify(key)}: `}${written(value, indent)}`;
  if (last) return spliced(text, last.value.end, last.value.end, `,${eol}${indent}${member}`);
  const around = `${wasEmpty(eol)}${indent}${member}${eol}${unit.repeat(path.length)}`;
  return spliced(text, start + 1, start + 1, around);
}

export function replace(text: string, path: Path, value: unknown): string {
  const root = scan(text);
  const { unit, written } = styleOf(text, root);
  const { start, end } = valueAt(root, path);
  return spliced(text, start, end, written(value, unit.repeat(path.length)));
}

/** Takes out what is at `path`, and what held nothing else; undefined when nothing is left at all. */
export function take(text: string, path: Path): string | undefined {
  if (path.length === 0) return undefined;
  const root = scan(text);
  const { eol, unit } = styleOf(text, root);
  const { start, members = [] } = valueAt(root, path.slice(0, -1));
  const at = members.findLastIndex(({ key }) => key === path.at(-1));
  const [before, it, after] = [members[at - 1], members[at], members[at + 1]];
  if (!it) throw new Error(`nothing at ${path.join(".")}`);
  if (before) return spliced(text, before.value.end, it.value.end);
  if (after) return spliced(text, it.start, after.start);
  if (!text.startsWith(wasEmpty(eol), start + 1)) return take(text, path.slice(0, -1));
  const closing = `${eol}${unit.repeat(path.length - 1)}`;
  const { end } = it.value;
  return spliced(text, start + 1, text.startsWith(closing, end) ? end + closing.length : end);
}
