// Any character of Unicode, as the unit of a string: what fast-check calls "binary".
// Its own looks characters up in a table of all 1.1 million, which takes seconds to make, again in every test file.
import fc from "fast-check";

const SURROGATES = 0xd800;
const SURROGATE_COUNT = 0x800;
const LAST = 0x10ffff - SURROGATE_COUNT;

const toCharacter = (index: number) =>
  String.fromCodePoint(index < SURROGATES ? index : index + SURROGATE_COUNT);

/** For the texts that fast-check mixes in because they are known to be troublesome. */
function toIndex(text: unknown): number {
  const point = typeof text === "string" ? (text.codePointAt(0) ?? 0) : 0;
  const index = point < SURROGATES ? point : point - SURROGATE_COUNT;
  if (index < 0 || index > LAST || toCharacter(index) !== text) throw new Error("not one character");
  return index;
}

export const anyCharacter = fc.nat(LAST).map(toCharacter, toIndex);
