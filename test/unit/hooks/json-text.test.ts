import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { insert, parseJsonText, remove, replace } from "#hooks/json-text";

/** Generates JSON with any whitespace and comments between tokens, any line endings, and trailing commas. */
const blank = fc.oneof(
  { arbitrary: fc.stringMatching(/^(?: {0,3}|\t|\n {0,4}|\r\n {0,4})$/), weight: 4 },
  {
    arbitrary: fc.constantFrom("/* a, b */", " // c, }\n", "// d \r\n  ", "\n  // e\n  /* f */ "),
    weight: 1,
  },
);
const trailing = fc.constantFrom("", "", ",", ", ", ", // g\n");
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
    .tuple(blank, fc.array(fc.tuple(blank, item, blank), { maxLength: 3 }), trailing)
    .map(([inside, items, end]) => {
      const inner = items.map((parts) => parts.join("")).join(",");
      return `[${inside}${inner}${inner === "" ? "" : end}]`;
    });
}

function members(item: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const member = fc.tuple(fc.string({ maxLength: 4 }), blank, item, blank, blank);
  return fc
    .tuple(blank, fc.uniqueArray(member, { maxLength: 4, selector: ([key]) => key }), trailing)
    .map(([inside, all, end]) => {
      const inner = all
        .map(([key, a, value, b, c]) => `${c}${JSON.stringify(key)}${a}:${value}${b}`)
        .join(",");
      return `{${inside}${inner}${inner === "" ? "" : end}}`;
    });
}

const object = fc
  .tuple(blank, members(written), blank)
  .map(([before, text, after]) => `${before}${text}${after}`);

describe("a JSON text, edited in place", () => {
  it("keeps its value plus the added member", () => {
    fc.assert(
      fc.property(object, fc.jsonValue(), (text, value) => {
        const after = insert(text, [], { key: "a new key", value });
        expect(parseJsonText(after)).toEqual({
          ...(parseJsonText(text) as object),
          "a new key": JSON.parse(JSON.stringify(value)),
        });
        // Every character of the old text is still there, in order.
        expect([...after].reduce((at, character) => (text[at] === character ? at + 1 : at), 0)).toBe(
          text.length,
        );
      }),
    );
  });

  it("is restored byte for byte when the added member is removed", () => {
    fc.assert(
      fc.property(object, fc.jsonValue(), fc.jsonValue(), (text, one, two) => {
        const twice = insert(insert(text, [], { key: "key one", value: one }), [], {
          key: "key two",
          value: two,
        });
        expect(remove(remove(twice, ["key two"]) ?? "", ["key one"])).toBe(text);
        expect(remove(remove(twice, ["key one"]) ?? "", ["key two"])).toBe(text);
      }),
    );
  });

  it("follows the formatting of the text", () => {
    expect(insert('{\n    "a": [1]\n}\n', ["a"], { value: 2 })).toBe('{\n    "a": [1,\n        2]\n}\n');
    expect(insert('{\n\t"a": 1\n}', [], { key: "b", value: { c: [1] } })).toBe(
      '{\n\t"a": 1,\n\t"b": {\n\t\t"c": [\n\t\t\t1\n\t\t]\n\t}\n}',
    );
    expect(insert('{\r\n  "a": 1\r\n}', [], { key: "b", value: [1] })).toBe(
      '{\r\n  "a": 1,\r\n  "b": [\r\n    1\r\n  ]\r\n}',
    );
    expect(replace('{\n  "a": {"b": "8"}\n}', ["a", "b"], "100")).toBe('{\n  "a": {"b": "100"}\n}');
  });

  it("keeps containers that were empty before, and removes those it created", () => {
    const made = insert('{"x": 1}', [], { key: "hooks", value: { Stop: [1] } });
    expect(remove(made, ["hooks", "Stop", "0"])).toBe('{"x": 1}');
    for (const empty of ['{"hooks": {}}', '{"hooks": { \n} }', '{"hooks":{"Stop":[ ]}}']) {
      const has = JSON.parse(empty).hooks.Stop !== undefined;
      const after = has
        ? insert(empty, ["hooks", "Stop"], { value: 1 })
        : insert(empty, ["hooks"], { key: "Stop", value: [1] });
      expect(JSON.parse(after)).toEqual({ hooks: { Stop: [1] } });
      expect(remove(after, ["hooks", "Stop", "0"])).toBe(empty);
    }
    expect(remove('{\n  "hooks": {\n    "Stop": [\n      1\n    ]\n  }\n}\n', ["hooks", "Stop", "0"])).toBe(
      undefined,
    );
  });

  it("removes from the middle, and the effective one of two members with the same name", () => {
    expect(remove('{"a": 1, "b": 2, "c": 3}', ["b"])).toBe('{"a": 1, "c": 3}');
    expect(remove('{"a": 1, "b": 2}', ["a"])).toBe('{"b": 2}');
    expect(replace('{"a": 1, "a": 2}', ["a"], 3)).toBe('{"a": 1, "a": 3}');
  });

  it("keeps comments, also next to a removed member", () => {
    const text = '{\n  // first\n  "a": 1 // about a\n  /* last */\n}\n';
    const after = insert(text, [], { key: "b", value: 2 });
    expect(after).toBe('{\n  // first\n  "a": 1, // about a\n  /* last */\n  "b": 2\n}\n');
    expect(remove(after, ["b"])).toBe(text);
    expect(remove('{"a": 1, // about a\n "b": 2, "c": 3}', ["b"])).toBe('{"a": 1, // about a\n  "c": 3}');
    expect(remove('{"a": 1, /* b */ "b": 2}', ["a"])).toBe('{/* b */ "b": 2}');
  });

  it("keeps trailing commas", () => {
    const text = '{\n  "a": [\n    1, // one\n  ],\n}\n';
    const after = insert(text, ["a"], { value: 2 });
    expect(after).toBe('{\n  "a": [\n    1, // one\n    2,\n  ],\n}\n');
    expect(remove(after, ["a", "1"])).toBe(text);
  });

  it("names the place of a mistake", () => {
    expect(() => parseJsonText('{\n  "a": nope\n}')).toThrow("InvalidSymbol at line 2, column 8");
    expect(() => parseJsonText("")).toThrow("ValueExpected at line 1, column 1");
  });
});
