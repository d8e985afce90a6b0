// Tolerant XML scanner: linear time, never throws, and ignores DOCTYPE, so no entity can be defined or expanded.

export type XmlToken =
  | {
      readonly type: "open";
      readonly name: string;
      readonly attributes: ReadonlyMap<string, string>;
      readonly empty: boolean;
    }
  | { readonly type: "close"; readonly name: string; readonly end: number }
  | { readonly type: "text"; readonly text: string };

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g;

/** Stops early at an unfinished construct. */
export function* xmlTokens(text: string, from: number): Generator<XmlToken> {
  let at = from;
  while (at < text.length) {
    const next = text.indexOf("<", at);
    if (next < 0) return;
    if (next > at) yield { type: "text", text: decodeEntities(text.slice(at, next)) };
    const section = sectionAt(text, next);
    const end = section === undefined ? tagEnd(text, next) : text.indexOf(section.closing, next);
    if (end < 0) return;
    if (section === undefined) yield tag(text.slice(next + 1, end), end);
    else if (section.opening === "<![CDATA[") yield { type: "text", text: text.slice(next + 9, end) };
    at = end + (section?.closing.length ?? 1);
  }
}

interface Section {
  readonly opening: string;
  readonly closing: string;
}

function sectionAt(text: string, at: number): Section | undefined {
  if (text.startsWith("<!DOCTYPE", at)) return { opening: "<!DOCTYPE", closing: doctypeEnd(text, at) };
  return [
    { opening: "<![CDATA[", closing: "]]>" },
    { opening: "<!--", closing: "-->" },
    { opening: "<?", closing: "?>" },
  ].find(({ opening }) => text.startsWith(opening, at));
}

function doctypeEnd(text: string, at: number): string {
  return text.slice(at, text.indexOf(">", at)).includes("[") ? "]>" : ">";
}

// A ">" inside quotes does not end a tag.
function tagEnd(text: string, start: number): number {
  let quote = "";
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === ">") return at;
    else if (character === '"' || character === "'") quote = character;
  }
  return -1;
}

function tag(body: string, end: number): XmlToken {
  if (body.startsWith("/")) return { type: "close", name: body.slice(1).trim(), end };
  const empty = body.endsWith("/");
  const content = empty ? body.slice(0, -1) : body;
  const name = content.split(/\s/, 1)[0] ?? "";
  return { type: "open", name, attributes: attributesIn(content.slice(name.length)), empty };
}

function attributesIn(content: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  let at = 0;
  while (true) {
    const equals = content.indexOf("=", at);
    if (equals < 0) return attributes;
    const name = content.slice(at, equals).trim();
    const start = equals + 1 + leadingBlanks(content.slice(equals + 1, equals + 10));
    const end = content.indexOf(content.charAt(start) || '"', start + 1);
    if (end < 0) return attributes;
    attributes.set(name, decodeEntities(content.slice(start + 1, end)));
    at = end + 1;
  }
}

function leadingBlanks(text: string): number {
  return text.length - text.trimStart().length;
}

function decodeEntities(text: string): string {
  return text.replace(ENTITY, (_, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? "";
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "0", 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}
