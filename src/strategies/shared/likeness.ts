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
/** Above every hash: those are whole numbers with a sign, which fit where others would need memory of their own. */
const ALL = 2 ** 31;

const SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;
const NEWLINE = 10;
/** Where the rows begin that hold after a digit: a number of any length counts as one. */
const AFTER_DIGIT = 256;

// What a byte adds to the hash of its line, by whether a digit came before it. What counts for nothing leaves the hash as it
// was, in the same three steps: a branch that nobody can foresee would take longer than all of them.
const COUNTS_AS = new Uint8Array(2 * AFTER_DIGIT);
const FACTOR = new Int32Array(2 * AFTER_DIGIT).fill(PRIME);
const THEN = new Uint16Array(2 * AFTER_DIGIT);
for (let at = 0; at < 2 * AFTER_DIGIT; at++) {
  const byte = at % AFTER_DIGIT;
  const [before, isDigit] = [at - byte, byte >= 48 && byte <= 57];
  const isNothing = byte <= 32 || byte === 127 || (isDigit && before === AFTER_DIGIT);
  const lower = byte >= 65 && byte <= 90 ? byte + 32 : byte;
  COUNTS_AS[at] = isNothing ? 0 : isDigit ? 1 : lower;
  if (isNothing) FACTOR[at] = 1;
  THEN[at] = isDigit ? AFTER_DIGIT : isNothing ? before : 0;
}

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
  return mixed ^ (mixed >>> 16);
}

const bytes = new TextEncoder();

/** The hash of each line that says something. */
function eachLine(read: Uint8Array, tell: (line: number) => void): void {
  let line = SEED;
  let row = 0;
  for (let at = 0; at < read.length; at++) {
    const byte = read[at] as number;
    const place = row + byte;
    line = Math.imul(line ^ (COUNTS_AS[place] as number), FACTOR[place] as number);
    row = THEN[place] as number;
    if (byte !== NEWLINE) continue;
    if (line !== SEED) tell(spread(line));
    line = SEED;
    row = 0;
  }
  if (line !== SEED) tell(spread(line));
}

export function sketchOf(text: string): Sketch {
  const sample = new Sample();
  let key = 0;
  eachLine(bytes.encode(text), (hash) => {
    sample.add(hash);
    key = (Math.imul(key, 31) + hash) | 0;
  });
  const { lines, below } = sample;
  return { isEmpty: lines.size === 0, key: spread(key), lines, below };
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
