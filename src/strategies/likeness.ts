// How much two texts say the same, whenever they were said: one pass over each, line by line, whatever their length.

/** The lines of a text as hashes: all of them for a short text, a fair sample of fixed size for a long one. */
export interface Sketch {
  readonly isEmpty: boolean;
  /** Equal for texts that are equal but for blanks, numbers and colours. */
  readonly key: number;
  readonly lines: ReadonlySet<number>;
  /** Hashes at or above this are left out of `lines`. */
  readonly below: number;
}

/** As many lines as are compared exactly. */
const EXACT = 1_024;
const ALL = 2 ** 32;

// What an ASCII character counts as: 0 is skipped, every digit is 1, letters are small.
const COUNTS_AS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code <= 32 || code === 127) return 0;
  if (code >= 48 && code <= 57) return 1;
  return code >= 65 && code <= 90 ? code + 32 : code;
});

/** Keeps the lowest hashes once there are too many: which lines those are has nothing to do with the text. */
class Sample {
  lines = new Set<number>();
  below = ALL;

  add(hash: number): void {
    if (hash >= this.below) return;
    this.lines.add(hash);
    if (this.lines.size <= 2 * EXACT) return;
    const kept = [...this.lines].sort((a, b) => a - b).slice(0, EXACT);
    this.below = (kept.at(-1) ?? 0) + 1;
    this.lines = new Set(kept);
  }
}

function spread(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

export function sketchOf(text: string): Sketch {
  const sample = new Sample();
  let line = 0;
  let key = 0;
  let before = 0;
  let isEmpty = true;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 10;
    if (code !== 10) {
      const counted = code < 128 ? (COUNTS_AS[code] as number) : code;
      // A number of any length counts as one digit.
      if (counted === 0 || (counted === 1 && before === 1)) continue;
      before = counted;
      line = (Math.imul(line ^ counted, 0x01000193) + 1) | 0;
    } else if (line !== 0) {
      const hash = spread(line);
      sample.add(hash);
      key = (Math.imul(key, 31) + hash) | 0;
      isEmpty = false;
      line = 0;
      before = 0;
    }
  }
  return { isEmpty, key: spread(key), lines: sample.lines, below: sample.below };
}

/** Of several texts, one after the other. */
export function joined(sketches: readonly Sketch[]): Sketch {
  const sample = new Sample();
  sample.below = Math.min(...sketches.map(({ below }) => below));
  for (const { lines } of sketches) for (const hash of lines) sample.add(hash);
  const key = sketches.reduce((sum, one) => (Math.imul(sum, 31) + one.key) | 0, 0);
  return {
    isEmpty: sketches.every(({ isEmpty }) => isEmpty),
    key: spread(key),
    lines: sample.lines,
    below: sample.below,
  };
}

/** Jaccard similarity of their lines, 0..1: exact for short texts, within a few hundredths for long ones. Nothing resembles nothing. */
export function alike(one: Sketch, other: Sketch): number {
  const below = Math.min(one.below, other.below);
  let [shared, mine] = [0, 0];
  for (const hash of one.lines) {
    if (hash >= below) continue;
    mine++;
    if (other.lines.has(hash)) shared++;
  }
  let theirs = 0;
  for (const hash of other.lines) if (hash < below) theirs++;
  const all = mine + theirs - shared;
  return all === 0 ? 0 : shared / all;
}
