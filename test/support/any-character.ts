// Any Unicode character as the unit of a string, like the fast-check unit "binary".
// The built-in unit creates a table of all 1.1 million characters in every test file, which takes seconds.
import fc from "fast-check";

const SURROGATES = 0xd800;
const SURROGATE_COUNT = 0x800;
const LAST = 0x10ffff - SURROGATE_COUNT;

const toCharacter = (index: number) =>
  String.fromCodePoint(index < SURROGATES ? index : index + SURROGATE_COUNT);

/** Inverse mapping, which fast-check needs for the known-dangerous strings that it mixes in. */
function toIndex(text: unknown): number {
  const point = typeof text === "string" ? (text.codePointAt(0) ?? 0) : 0;
  const index = point < SURROGATES ? point : point - SURROGATE_COUNT;
  if (index < 0 || index > LAST || toCharacter(index) !== text) throw new Error("not one character");
  return index;
}

export const anyCharacter = fc.nat(LAST).map(toCharacter, toIndex);
