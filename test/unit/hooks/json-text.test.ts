import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { put, replace, take } from "#hooks/json-text";

/** Generates JSON with any whitespace between tokens and any line endings. */
const blank = fc.stringMatching(/^(?: {0,3}|\t|\n {0,4}|\r\n {0,4})$/);
const scalar = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom('"{"', '"]"', String.raw`"a\"b,:\\"`, "-1.5e3", "true", "null"),
);
const { text: written } = fc.letrec<{ text: string; object: string }>((tie) => ({
  text: fc.oneof({ maxDepth: 3 }, scalar, tie("object"), list(tie("text"))),
  object: members(tie("text")),
}));

function list(item: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(blank, fc.array(fc.tuple(blank, item, blank), { maxLength: 3 }))
    .map(([inside, items]) => `[${inside}${items.map((parts) => parts.join("")).join(",")}]`);
}

function members(item: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const member = fc.tuple(fc.string({ maxLength: 4 }), blank, item, blank, blank);
  return fc
    .tuple(blank, fc.uniqueArray(member, { maxLength: 4, selector: ([key]) => key }))
    .map(
      ([inside, all]) =>
        `{${inside}${all.map(([key, a, value, b, c]) => `${c}${JSON.stringify(key)}${a}:${value}${b}`).join(",")}}`,
    );
}

const object = fc
  .tuple(blank, members(written), blank)
  .map(([before, text, after]) => `${before}${text}${after}`);

describe("a JSON text, edited in place", () => {
  it("keeps its value plus the added member", () => {
    fc.assert(
      fc.property(object, fc.jsonValue(), (text, value) => {
        const after = put(text, [], "a new key", value);
        expect(JSON.parse(after)).toEqual({
          ...JSON.parse(text),
          "a new key": JSON.parse(JSON.stringify(value)),
        });
        // The old text is still there, in one piece on either side.
        const at = [...text].findIndex((_, index) => !after.startsWith(text.slice(0, index + 1)));
        expect(after.endsWith(text.slice(at < 0 ? text.length : at))).toBe(true);
      }),
    );
  });

  it("is restored byte for byte when the added member is removed", () => {
    fc.assert(
      fc.property(object, fc.jsonValue(), fc.jsonValue(), (text, one, two) => {
        const twice = put(put(text, [], "key one", one), [], "key two", two);
        expect(take(take(twice, ["key two"]) ?? "", ["key one"])).toBe(text);
        expect(take(take(twice, ["key one"]) ?? "", ["key two"])).toBe(text);
      }),
    );
  });

  it("follows the formatting of the text", () => {
    expect(put('{\n    "a": [1]\n}\n', ["a"], undefined, 2)).toBe('{\n    "a": [1,\n        2]\n}\n');
    expect(put('{\n\t"a": 1\n}', [], "b", { c: [1] })).toBe(
      '{\n\t"a": 1,\n\t"b": {\n\t\t"c": [\n\t\t\t1\n\t\t]\n\t}\n}',
    );
    expect(put('{\r\n  "a": 1\r\n}', [], "b", [1])).toBe('{\r\n  "a": 1,\r\n  "b": [\r\n    1\r\n  ]\r\n}');
    expect(replace('{\n  "a": {"b": "8"}\n}', ["a", "b"], "100")).toBe('{\n  "a": {"b": "100"}\n}');
  });

  it("keeps containers that were empty before, and removes those it created", () => {
    const made = put('{"x": 1}', [], "hooks", { Stop: [1] });
    expect(take(made, ["hooks", "Stop", "0"])).toBe('{"x": 1}');
    for (const empty of ['{"hooks": {}}', '{"hooks": { \n} }', '{"hooks":{"Stop":[ ]}}']) {
      const has = JSON.parse(empty).hooks.Stop !== undefined;
      const after = has ? put(empty, ["hooks", "Stop"], undefined, 1) : put(empty, ["hooks"], "Stop", [1]);
      expect(JSON.parse(after)).toEqual({ hooks: { Stop: [1] } });
      expect(take(after, ["hooks", "Stop", "0"])).toBe(empty);
    }
    expect(take('{\n  "hooks": {\n    "Stop": [\n      1\n    ]\n  }\n}\n', ["hooks", "Stop", "0"])).toBe(
      undefined,
    );
  });

  it("removes from the middle, and the effective one of two members with the same name", () => {
    expect(take('{"a": 1, "b": 2, "c": 3}', ["b"])).toBe('{"a": 1, "c": 3}');
    expect(take('{"a": 1, "b": 2}', ["a"])).toBe('{"b": 2}');
    expect(replace('{"a": 1, "a": 2}', ["a"], 3)).toBe('{"a": 1, "a": 3}');
  });
});
