// Edits a JSON text in place: unchanged parts stay byte for byte, and an added member can be removed again without a trace.

interface Member {
  readonly key: string;
  readonly start: number;
  readonly value: Value;
}

interface Value {
  readonly start: number;
  readonly end: number;
  /** Members of an object or a list; the keys of a list are its indexes. */
  readonly members?: readonly Member[];
}

type Path = readonly string[];

const BLANKS = /[\s,:]*/y;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const SCALAR = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s,\]}]+/y;

/** Scans the text for the position of every value. Only for texts that JSON.parse accepts. */
function scan(text: string): Value {
  let at = 0;
  const read = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const token = pattern.exec(text)?.[0] ?? "";
    at += token.length;
    return token;
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

/** Detects line ending and indentation of the text. */
function styleOf(text: string, root: Value) {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const before = text.slice(root.start + 1, root.members?.[0]?.start ?? root.start + 1);
  const unit = before.includes("\n") ? before.slice(before.lastIndexOf("\n") + 1) : "  ";
  const stringify = (value: unknown, indent: string) =>
    JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
  return { eol, unit, stringify };
}

function valueAt(root: Value, path: Path): Value {
  let value = root;
  for (const key of path) {
    // The last of two members with the same name wins, as in JSON.parse.
    const member = value.members?.findLast((candidate) => candidate.key === key);
    if (!member) throw new Error(`nothing at ${path.join(".")}`);
    value = member.value;
  }
  return value;
}

const splice = (text: string, from: number, to: number, by = "") => text.slice(0, from) + by + text.slice(to);

/** A blank before the line ending marks an object or list that was empty before an insertion. */
const emptyMarker = (eol: string) => ` ${eol}`;

/** Appends a member to the object or list at `path`; an element of a list has no key. */
export function put(text: string, path: Path, key: string | undefined, value: unknown): string {
  const root = scan(text);
  const { eol, unit, stringify } = styleOf(text, root);
  const { start, members = [] } = valueAt(root, path);
  const last = members.at(-1);
  const siblingIndent = last && /\n([^\S\n]*)$/.exec(text.slice(start, last.start))?.[1];
  const indent = siblingIndent ?? unit.repeat(path.length + 1);
  const member = `${key === undefined ? "" : `${JSON.stringify(key)}: `}${stringify(value, indent)}`;
  if (last) return splice(text, last.value.end, last.value.end, `,${eol}${indent}${member}`);
  const around = `${emptyMarker(eol)}${indent}${member}${eol}${unit.repeat(path.length)}`;
  return splice(text, start + 1, start + 1, around);
}

export function replace(text: string, path: Path, value: unknown): string {
  const root = scan(text);
  const { unit, stringify } = styleOf(text, root);
  const { start, end } = valueAt(root, path);
  return splice(text, start, end, stringify(value, unit.repeat(path.length)));
}

/** Removes the value at `path`, and parents that become empty; undefined when nothing is left. */
export function take(text: string, path: Path): string | undefined {
  if (path.length === 0) return undefined;
  const root = scan(text);
  const { eol, unit } = styleOf(text, root);
  const { start, members = [] } = valueAt(root, path.slice(0, -1));
  const at = members.findLastIndex(({ key }) => key === path.at(-1));
  const [before, it, after] = [members[at - 1], members[at], members[at + 1]];
  if (!it) throw new Error(`nothing at ${path.join(".")}`);
  if (before) return splice(text, before.value.end, it.value.end);
  if (after) return splice(text, it.start, after.start);
  if (!text.startsWith(emptyMarker(eol), start + 1)) return take(text, path.slice(0, -1));
  const closing = `${eol}${unit.repeat(path.length - 1)}`;
  const { end } = it.value;
  return splice(text, start + 1, text.startsWith(closing, end) ? end + closing.length : end);
}
