// Selects the iterations that a select box lists: all, or, of very many, a sample and those near the chosen one.
import { thinned } from "./curve/series.ts";

const EVERYWHERE = 100;
/** More than the gaps of the sample, up to 20,000 iterations: any iteration is two choices away. */
const NEAR = 110;

/** `numbers` are consecutive, ascending or descending. */
export function offered(numbers: readonly number[], chosen: number | undefined): readonly number[] {
  if (numbers.length <= EVERYWHERE + 2 * NEAR) return numbers;
  const some = new Set(thinned(numbers, EVERYWHERE));
  const at = chosen === undefined ? -1 : numbers.indexOf(chosen);
  if (at >= 0) for (const number of numbers.slice(Math.max(0, at - NEAR), at + NEAR)) some.add(number);
  const [first = 0, second = 0] = numbers;
  const upwards = first < second ? 1 : -1;
  return [...some].sort((one, other) => (one - other) * upwards);
}
