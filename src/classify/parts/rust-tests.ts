// Finds tests inside Rust source: items with `#[cfg(test)]` or `#[test]`. New tests are allowed: `#[test]` functions,
// and calls of macros that existing tests call.
import { type Piece, type ReadPieces, withoutBlanks } from "./piece.ts";

/** Also matches comments, strings, characters and lifetimes, so that braces in them do not count. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|b?r(#*)"[\s\S]*?"\1|b?"(?:[^"\\]|\\[\s\S])*"|b?'(?:[^'\\]|\\[^']+)'|'[A-Za-z_]\w*|#!?\[|[{}()[\];]|\w+/g;

interface Item {
  readonly start: number;
  readonly end: number;
}

const isComment = (token: string): boolean => token.startsWith("//") || token.startsWith("/*");
const opens = (token: string): boolean => /^(?:#!?\[|[{([])$/.test(token);
const closes = (token: string): boolean => /^[})\]]$/.test(token);

/** The top-level items of a text: each ends with a block or a semicolon. */
function itemsIn(text: string): Item[] {
  const items: Item[] = [];
  let depth = 0;
  let start: number | undefined;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (start === undefined && !isComment(token)) start = index;
    if (opens(token)) depth++;
    if (closes(token)) depth = Math.max(0, depth - 1);
    const isEnd = depth === 0 && (token === "}" || token === ";");
    if (!isEnd || start === undefined) continue;
    items.push({ start, end: index + 1 });
    start = undefined;
  }
  return items;
}

const ATTRIBUTES = /^(?:\s*#!?\[[^\]]*(?:\[[^\]]*\][^\]]*)*\]|\s*\/\/[^\n]*\n)*\s*/;
const CFG_TEST = /#\[\s*cfg\s*\([^\]]*\btest\b/;
const TEST = /#\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b/;

const attributesOf = (item: string): string => ATTRIBUTES.exec(item)?.[0] ?? "";
const nameOf = (item: string): string =>
  /\b(?:mod|fn|struct|enum|impl|use|const|static|macro_rules!)\s+([\w:<>{}*, ]+)/.exec(item)?.[1]?.trim() ??
  "";

/** The macro that an item calls; undefined when it is not a macro call, or defines a macro. */
const macroOf = (item: string): string | undefined => {
  const name = /^((?:\w+::)*\w+)!\s*[({[]/.exec(item)?.[1];
  return name === "macro_rules" ? undefined : name;
};

/** Accepts a text that keeps every old item and adds only tests. */
function acceptsMoreTests(before: string): (now: string) => boolean {
  const bodyOf = (text: string) => text.slice(text.indexOf("{") + 1, text.lastIndexOf("}"));
  const listOf = (text: string) =>
    itemsIn(bodyOf(text)).map(({ start, end }) => bodyOf(text).slice(start, end));
  const head = (text: string) => withoutBlanks(text.slice(0, text.indexOf("{")));
  return (now) => {
    if (!/\bmod\b/.test(head(before)) || head(before) !== head(now)) return false;
    const left = listOf(now).map(withoutBlanks);
    const old = listOf(before).map(withoutBlanks);
    const macros = new Set(old.flatMap((item) => macroOf(item) ?? []));
    for (const item of old) {
      const at = left.indexOf(item);
      if (at === -1) return false;
      left.splice(at, 1);
    }
    return left.every(
      (item) => macros.has(macroOf(item) ?? "") || (TEST.test(attributesOf(item)) && /\bfn\b/.test(item)),
    );
  };
}

export const readRustTests: ReadPieces = (text) =>
  itemsIn(text).flatMap(({ start, end }): Piece[] => {
    const item = text.slice(start, end);
    const attributes = attributesOf(item);
    if (!CFG_TEST.test(attributes) && !TEST.test(attributes)) return [];
    const accepts = acceptsMoreTests(item);
    return [
      {
        key: `tests ${nameOf(item.slice(attributes.length))}`,
        text: item,
        start,
        end,
        accepts,
        mayCome: true,
      },
    ];
  });
