// Encodings of a secret: a chain of steps, each with the byte strings that can stand for one character of it.

/** Alternative byte strings for one character. */
type Step = readonly Uint8Array[];

export interface Chain {
  readonly steps: readonly Step[];
}

/** JSON nested three deep, such as a tool's log that an agent prints as an event. */
const JSON_DEPTH = 3;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Line ends as text and in JSON, with the prefixes that diffs, quotations and indentation add to the next line. */
const LINE_ENDS = ["\n", "\r\n", "\\n", "\\r\\n", "\\\\n", "\\\\r\\\\n"].flatMap((end) =>
  ["", "+", "-", " ", "  ", "    ", "        ", "\t", "> ", "| ", "| +"].map((sign) => end + sign),
);

function inJson(text: string): string[] {
  const forms = [text];
  for (let deep = 0; deep < JSON_DEPTH; deep++) forms.push(JSON.stringify(forms.at(-1)).slice(1, -1));
  return forms;
}

const hexOf = (bytes: Uint8Array): string[] => [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));

function unicodeEscapes(character: string): string[] {
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  const written = (digits: readonly string[], mark: string) => digits.map((unit) => mark + unit).join("");
  return ["\\u", "\\\\u"].flatMap((mark) => [
    written(units, mark),
    written(
      units.map((unit) => unit.toUpperCase()),
      mark,
    ),
  ]);
}

function percentEscapes(character: string): string[] {
  const digits = hexOf(Buffer.from(character));
  return ["%", "%25"].flatMap((mark) =>
    [digits, digits.map((pair) => pair.toUpperCase())].map((pairs) =>
      pairs.map((pair) => mark + pair).join(""),
    ),
  );
}

/** HTML and XML entities, also inside escaped JSON. */
function entities(character: string): string[] {
  const code = character.codePointAt(0) ?? 0;
  const written = [ENTITIES[character], `&#${code};`, `&#x${code.toString(16)};`, `&#0${code};`];
  const known = written.filter((entity) => entity !== undefined);
  return inJson(character).flatMap((form) =>
    form.endsWith(character) ? known.map((entity) => form.slice(0, -character.length) + entity) : [],
  );
}

function formsOf(character: string): string[] {
  // Letters and digits are never escaped.
  if (/^[A-Za-z0-9]$/.test(character)) return [character];
  return [
    ...inJson(character),
    ...unicodeEscapes(character),
    ...percentEscapes(character),
    ...entities(character),
    ...(character === " " ? ["+"] : []),
    ...(character === "\n" ? LINE_ENDS : []),
    // Shell quoting.
    ...(/^[!-~]$/.test(character) ? inJson(`\\${character}`) : []),
    ...(character === "'" ? ["'\\''"] : []),
  ];
}

// Both base64 alphabets, and how JSON and URLs escape their special characters.
const BASE64: Readonly<Record<string, readonly string[]>> = {
  "+": ["+", "-", "%2B", "%2b", "\\u002b", "\\u002B"],
  "/": ["/", "_", "%2F", "%2f", "\\/", "\\u002f", "\\u002F"],
};

const base64FormsOf = (character: string): readonly string[] => BASE64[character] ?? [character];

/** Cache: steps are the same for all values. */
function cacheSteps(formsFor: (character: string) => readonly string[]): (character: string) => Step {
  const cache = new Map<string, Step>();
  return (character) => {
    const step = cache.get(character) ?? [...new Set(formsFor(character))].map((form) => Buffer.from(form));
    cache.set(character, step);
    return step;
  };
}

const textStep = cacheSteps(formsOf);
const base64Step = cacheSteps(base64FormsOf);
/** Any character but the first may follow a line break. */
const base64NextStep = cacheSteps((character) =>
  ["", ...LINE_ENDS].flatMap((end) => base64FormsOf(character).map((form) => end + form)),
);
const hexStep = cacheSteps((pair) => [pair, pair.toUpperCase()]);

/**
 * Returns the base64 characters that depend on the value alone, when `before` other bytes share its first group.
 * Each character holds six bits.
 */
function base64Part(value: Uint8Array, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), value]).toString("base64");
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + value.length) * 8) / 6));
}

/** All encodings of the value: text with any escapes, base64 at any offset, hexadecimal. */
export function chainsOf(value: string): Chain[] {
  const bytes = Buffer.from(value);
  return [
    { steps: [...value].map(textStep) },
    ...[0, 1, 2].map((before) => ({
      steps: [...base64Part(bytes, before)].map((character, index) =>
        index === 0 ? base64Step(character) : base64NextStep(character),
      ),
    })),
    { steps: hexOf(bytes).map(hexStep) },
  ];
}
