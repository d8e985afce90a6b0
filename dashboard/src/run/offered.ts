// The iterations that a list offers: all of them, or, of very many, some from everywhere and all that are near the chosen one.
import { thinned } from "./curve/series.ts";

const EVERYWHERE = 100;
/** More than lie between two of those, up to a run of twenty thousand: any iteration is two choices away. */
const NEAR = 110;

/** `numbers` follow each other, in either direction. */
export function offered(numbers: readonly number[], chosen: number | undefined): readonly number[] {
  if (numbers.length <= EVERYWHERE + 2 * NEAR) return numbers;
  const some = new Set(thinned(numbers, EVERYWHERE));
  const at = chosen === undefined ? -1 : numbers.indexOf(chosen);
  if (at >= 0) for (const number of numbers.slice(Math.max(0, at - NEAR), at + NEAR)) some.add(number);
  const [first = 0, second = 0] = numbers;
  const upwards = first < second ? 1 : -1;
  return [...some].sort((one, other) => (one - other) * upwards);
}
