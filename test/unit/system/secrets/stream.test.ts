import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSecrets, type Secrets } from "#system/secrets/secrets";

/** The masked output of the whole input, and of the input cut at the given places. */
function through(known: Secrets, bytes: Buffer, cuts: readonly number[] = []): Buffer {
  const stream = known.stream();
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const chunks = [0, ...places].map((from, index) => bytes.subarray(from, places[index]));
  return Buffer.concat([...chunks.map((chunk) => stream.push(chunk)), stream.end()]);
}

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const lower = (text: string) => text.replace(/%../g, (sign) => sign.toLowerCase());
const form = (text: string) => new URLSearchParams({ a: text }).toString().slice(2);
const wrapped = (text: string, width: number, end: string) =>
  text.match(new RegExp(`.{1,${width}}`, "g"))?.join(end) ?? "";

/** Each text encoding, as programs write it. */
const TEXTUAL: Readonly<Record<string, (value: string) => string>> = {
  "as it is": (value) => value,
  "JSON once": json,
  "JSON twice": (value) => json(json(value)),
  "JSON three times": (value) => json(json(json(value))),
  "JSON with escaped slashes": (value) => json(value).replaceAll("/", "\\/"),
  "JSON in ASCII": (value) =>
    json(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  "URL component": encodeURIComponent,
  "URL component in lower case": (value) => lower(encodeURIComponent(value)),
  "URL twice": (value) => encodeURIComponent(encodeURIComponent(value)),
  URL: encodeURI,
  form: form,
  "form in lower case": (value) => lower(form(value)),
  hex: (value) => Buffer.from(value).toString("hex"),
  "hex in upper case": (value) => Buffer.from(value).toString("hex").toUpperCase(),
  HTML: (value) => value.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
};

const secret = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 40, unit: fc.constantFrom(..."abcXYZ019-_=+/.~") }),
    fc.string({ minLength: 8, maxLength: 40, unit: "grapheme-ascii" }),
    fc.string({ minLength: 8, maxLength: 24, unit: "grapheme" }),
  )
  .map((value) => value.trim())
  .filter((value) => value.length >= 8 && new Set(value).size > 4);

/** Filler text whose bytes occur in no encoding of a secret. */
const around = fc
  .uint8Array({ maxLength: 60 })
  .map((bytes) => Buffer.from(bytes.map((byte) => [0, 1, 2, 3, 0xff, 0xfe, 0xc0, 0xc1][byte % 8] ?? 0)));

const cuts = fc.array(fc.nat(400), { maxLength: 40 });
const mark = (name: string) => Buffer.from(`‹secret ${name}›`);

describe("maskingStream", () => {
  const knowing = (value: string, others: readonly string[] = []) => {
    const all = [value, ...others].map((each, index) => [`V${index}`, each] as const);
    const known = createSecrets({});
    known.learn(
      all.map(([name]) => name),
      Object.fromEntries(all),
    );
    return known;
  };

  it.each(Object.entries(TEXTUAL))("masks a secret written %s, for any chunking of the input", (_, write) => {
    fc.assert(
      fc.property(secret, around, around, cuts, (value, before, after, places) => {
        const bytes = Buffer.concat([before, Buffer.from(write(value)), after]);
        const expected = Buffer.concat([before, mark("V0"), after]);
        expect(through(knowing(value), bytes, places)).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    ["base64", (bytes: Buffer) => bytes.toString("base64")],
    ["base64url", (bytes: Buffer) => bytes.toString("base64url")],
    ["base64 in lines of 64", (bytes: Buffer) => wrapped(bytes.toString("base64"), 64, "\n")],
    ["base64 in lines of 76", (bytes: Buffer) => wrapped(bytes.toString("base64"), 76, "\r\n")],
    ["base64 in lines, in JSON", (bytes: Buffer) => json(wrapped(bytes.toString("base64"), 64, "\n"))],
  ])("masks a secret in %s, at any offset", (_, write) => {
    const anything = fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(secret, anything, anything, cuts, (value, before, after, places) => {
        const whole = write(Buffer.concat([before, Buffer.from(value), after]));
        const shown = through(knowing(value), Buffer.from(whole), places).toString();
        const [head = "", tail = "", ...more] = shown.split("‹secret V0›");
        expect(more).toEqual([]);
        // Only the surrounding text is left; a base64 character at either end holds bits of both.
        const bits = (text: string) => Buffer.from(text.replaceAll("\\n", ""), "base64");
        expect(whole.startsWith(head)).toBe(true);
        expect(whole.endsWith(tail)).toBe(true);
        expect(bits(head).subarray(0, before.length)).toEqual(before);
        expect(bits(head).length - before.length).toBeLessThanOrEqual(0);
        expect(tail.replace(/[\r\n=]|\\n/g, "").length).toBeLessThanOrEqual(
          Math.ceil(((after.length + 1) * 4) / 3),
        );
      }),
      { numRuns: 400 },
    );
  });

  it("passes bytes without secrets unchanged", () => {
    const known = knowing("Vq7xT2mK9pLw4Zs8", ["another secret with blanks", "третий-секрет"]);
    const pieces = fc.oneof(
      fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom("Vq7x", "Vq7xT2mK9pLw4Zs", "another+secret%20", "трет", "VnE3eFQybUs")
        .map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), cuts, (parts, places) => {
        const bytes = Buffer.concat(parts.flatMap((part) => [part, Buffer.from([0])]));
        expect(through(known, bytes, places)).toEqual(bytes);
      }),
      { numRuns: 1_000 },
    );
  });

  it("gives the same output for any chunking, with many overlapping secrets", () => {
    const unit = fc.constantFrom("a", "b", "%61", "\\", '"');
    const values = fc.array(
      fc
        .array(fc.constantFrom("a", "b", '"'), { minLength: 8, maxLength: 12 })
        .map((all) => `${all.join("")}-x`),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(
        values,
        fc.array(unit, { maxLength: 30 }),
        fc.nat(3),
        cuts,
        ([first = "", ...others], noise, turn, places) => {
          const all = [first, ...others];
          const known = knowing(first, others);
          const inner = all
            .map((value, index) => (index % 2 ? json(value) : value))
            .join(turn % 2 ? "" : "ab");
          const bytes = Buffer.from(noise.join("") + inner + noise.join(""));
          const whole = through(known, bytes);
          expect(through(known, bytes, places)).toEqual(whole);
          for (const value of all) expect(whole.toString()).not.toContain(value);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("buffers only bytes that may begin a secret", () => {
    const stream = knowing("Vq7xT2mK9pLw4Zs8").stream();
    const push = (text: string) => stream.push(Buffer.from(text)).toString();
    expect(push("hello\n")).toBe("hello\n");
    expect(push("hello Vq7x")).toBe("hello ");
    expect(push("T2mK")).toBe("");
    expect(push("! ")).toBe("Vq7xT2mK! ");
    expect(push("Vq7xT2mK9pLw4Zs8")).toBe("‹secret V0›");
    expect(push("Vq7x")).toBe("");
    expect(stream.end().toString()).toBe("Vq7x");
  });

  it("bounds its buffer when secrets follow each other without end", () => {
    const value = "abcabcabc-abcabcabc-";
    const stream = knowing(value).stream();
    for (let turn = 0; turn < 1_000; turn++)
      expect(stream.push(Buffer.from("abcabcabc-")).length).toBeLessThan(40);
    expect(stream.end().toString()).toBe("‹secret V0›");
  });

  it("still masks after its state table was reset", () => {
    const value = "p@s$w&rd!with#many?signs";
    const known = knowing(value);
    const escaped = (sign: string, pick: number) =>
      [sign, encodeURIComponent(sign), lower(encodeURIComponent(sign)), `\\${sign}`][pick] ?? sign;
    const random = fc.array(fc.nat(3), { minLength: 24, maxLength: 24 });
    fc.assert(
      fc.property(random, (picks) => {
        const mixed = [...value]
          .map((sign, at) => (/\w/.test(sign) ? sign : escaped(sign, picks[at] ?? 0)))
          .join("");
        const stream = known.stream();
        const shown = Buffer.concat([
          stream.push(Buffer.from(`<${mixed.slice(0, -1)}>`)),
          stream.push(Buffer.from(`<${mixed}>`)),
          stream.end(),
        ]);
        expect(shown.toString()).toBe(`<${mixed.slice(0, -1)}><‹secret V0›>`);
      }),
      { numRuns: 2_000 },
    );
  });
});
