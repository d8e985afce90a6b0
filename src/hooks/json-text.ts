// Edits JSON with comments and trailing commas in place. Unchanged parts stay byte for byte, and an inserted member can be
// removed again without a trace. The `modify` of jsonc-parser does neither: it reformats whole lines, and deletes comments
// between members. So the edits are made here, from its syntax tree.
import {
  applyEdits,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
  visit,
} from "jsonc-parser";

type Path = readonly string[];

const OPTIONS = { allowTrailingComma: true, allowEmptyContent: false };

/** Replaces a byte order mark, which the parser rejects, by a blank, so that all positions stay. */
const maskMark = (text: string) => text.replace(/^\ufeff/, " ");

/** Parses JSON with comments and trailing commas. Throws when the text is something else. */
export function parseJsonText(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(maskMark(text), errors, OPTIONS);
  const [error] = errors;
  if (error === undefined) return value;
  const before = text.slice(0, error.offset).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  throw new SyntaxError(`${printParseErrorCode(error.error)} at ${place}`);
}

function treeOf(text: string): Node {
  const tree = parseTree(maskMark(text), [], OPTIONS);
  if (tree === undefined) throw new SyntaxError("the text is not JSON");
  return tree;
}

const endOf = ({ offset, length }: Node) => offset + length;
const membersOf = ({ children = [] }: Node) => children;

/** The member of an object or list with this key or index. The last of two with the same key wins, as in JSON.parse. */
function memberAt(parent: Node, key: string): number {
  if (parent.type === "array") return Number(key) < membersOf(parent).length ? Number(key) : -1;
  return membersOf(parent).findLastIndex(({ children }) => children?.[0]?.value === key);
}

function valueAt(root: Node, path: Path): Node {
  return path.reduce((parent, key) => {
    const member = membersOf(parent)[memberAt(parent, key)];
    const value = member?.type === "property" ? member.children?.[1] : member;
    if (value === undefined) throw new Error(`nothing at ${path.join(".")}`);
    return value;
  }, root);
}

/** Detects line ending and indentation of the text. */
function styleOf(text: string, root: Node) {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const first = membersOf(root)[0];
  const unit = (first && /\n([^\S\n]*)$/.exec(text.slice(root.offset, first.offset))?.[1]) ?? "  ";
  const stringify = (value: unknown, indent: string) =>
    JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
  return { eol, unit, stringify };
}

interface Tokens {
  /** End of the last token; comments count as tokens. */
  readonly end: number;
  readonly endsWithLineComment: boolean;
  readonly comma: number | undefined;
}

/** Finds a comma and comments between two members. */
function tokensBetween(text: string, from: number, to: number): Tokens {
  let [end, endsWithLineComment]: [number, boolean] = [from, false];
  let comma: number | undefined;
  const add = (offset: number, length: number) => {
    if (offset < from || offset >= to) return;
    end = offset + length;
    endsWithLineComment = text.startsWith("//", offset);
    if (text[offset] === ",") comma ??= offset;
  };
  visit(maskMark(text), { onSeparator: (_, offset, length) => add(offset, length), onComment: add }, OPTIONS);
  return { end, endsWithLineComment, comma };
}

/** A blank before the line ending marks an object or list that was empty before an insertion. */
const emptyMarker = (eol: string) => ` ${eol}`;

/** Appends a value to the list at `path`, or a member to the object there when a key is given. */
export function insert(text: string, path: Path, { key, value }: { key?: string; value: unknown }): string {
  const root = treeOf(text);
  const { eol, unit, stringify } = styleOf(text, root);
  const parent = valueAt(root, path);
  const last = membersOf(parent).at(-1);
  const siblingIndent = last && /\n([^\S\n]*)$/.exec(text.slice(parent.offset, last.offset))?.[1];
  const indent = siblingIndent ?? unit.repeat(path.length + 1);
  const member = `${key === undefined ? "" : `${JSON.stringify(key)}: `}${stringify(value, indent)}`;
  const { end, comma } = tokensBetween(text, last ? endOf(last) : parent.offset + 1, endOf(parent) - 1);
  if (last && comma === undefined)
    return applyEdits(text, [
      { offset: endOf(last), length: 0, content: "," },
      { offset: end, length: 0, content: `${eol}${indent}${member}` },
    ]);
  if (last) return applyEdits(text, [{ offset: end, length: 0, content: `${eol}${indent}${member},` }]);
  const content = `${emptyMarker(eol)}${indent}${member}${eol}${unit.repeat(path.length)}`;
  return applyEdits(text, [{ offset: end, length: 0, content }]);
}

export function replace(text: string, path: Path, value: unknown): string {
  const root = treeOf(text);
  const { unit, stringify } = styleOf(text, root);
  const { offset, length } = valueAt(root, path);
  return applyEdits(text, [{ offset, length, content: stringify(value, unit.repeat(path.length)) }]);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const cut = (text: string, { start, end }: Range) =>
  applyEdits(text, [{ offset: start, length: end - start, content: "" }]);

/** Removes a member that is not the first; without a comma of its own, it takes the comma before it along. */
function cutLater(text: string, before: Node, member: Range & { hasComma: boolean }): string {
  const { end, endsWithLineComment, comma } = tokensBetween(text, endOf(before), member.start);
  // What follows on the same line must not become part of the comment.
  const keepsLine = endsWithLineComment && !/^[^\S\n]*(?:\n|\r\n|$)/.test(text.slice(member.end));
  const rest = cut(text, { start: keepsLine ? member.start : end, end: member.end });
  return member.hasComma || comma === undefined ? rest : cut(rest, { start: comma, end: comma + 1 });
}

/** Removes the only member of an object or list that was empty before; undefined when it was not. */
function cutOnly(text: string, { start, end }: Range, path: Path): string | undefined {
  const { eol, unit } = styleOf(text, treeOf(text));
  const blanks = /[^\S\n]*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  const marker = start - blanks - emptyMarker(eol).length;
  if (!text.startsWith(emptyMarker(eol), marker)) return undefined;
  const closing = `${eol}${unit.repeat(path.length - 1)}`;
  return cut(text, { start: marker, end: text.startsWith(closing, end) ? end + closing.length : end });
}

/** Removes the value at `path`, and parents that become empty; undefined when nothing is left. */
export function remove(text: string, path: Path): string | undefined {
  if (path.length === 0) return undefined;
  const parent = valueAt(treeOf(text), path.slice(0, -1));
  const members = membersOf(parent);
  const at = memberAt(parent, path.at(-1) ?? "");
  const [before, member, after] = [members[at - 1], members[at], members[at + 1]];
  if (!member) throw new Error(`nothing at ${path.join(".")}`);
  const { comma } = tokensBetween(text, endOf(member), after?.offset ?? endOf(parent) - 1);
  const range = { start: member.offset, end: comma === undefined ? endOf(member) : comma + 1 };
  if (before) return cutLater(text, before, { ...range, hasComma: comma !== undefined });
  if (!after) return cutOnly(text, range, path) ?? remove(text, path.slice(0, -1));
  const blanks = /^\s*/.exec(text.slice(range.end))?.[0].length ?? 0;
  return cut(text, { start: range.start, end: range.end + blanks });
}
