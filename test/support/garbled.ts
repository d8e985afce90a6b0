// Fuzz input for output readers: lines of a broken or hostile CLI.
import fc from "fast-check";

const DEPTH = 5_000;
const deep = `{"type":"result","stats":${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}`;

/** Generates lines: objects with real types and random fields, truncated objects, random text and deep nesting. */
export function garbledLines(types: readonly string[], keys: readonly string[]): fc.Arbitrary<string[]> {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, -1, 1e308, "\u001b[31mred", "[API Error: 429]", "npm test"),
      fc.string(),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys, "__proto__"), tie("any"), { maxKeys: 4 }),
    ),
  })).any;
  const event = fc
    .tuple(fc.constantFrom(...types), fc.dictionary(fc.constantFrom(...keys), value))
    .map(([type, rest]) => JSON.stringify({ ...rest, type }));
  const broken = event.map((line) => line.slice(0, line.length / 2));
  return fc.array(fc.oneof(event, broken, fc.string(), fc.constant(deep)), { maxLength: 30 });
}
