// Similarity of two texts by line hashes, ignoring numbers, blanks and case. One pass over each text of any length.

/** Line hashes of a text: all of them for a short text, a sample of fixed size for a long one. */
export interface Sketch {
  readonly isEmpty: boolean;
  /** Equal for texts that differ only in blanks, numbers and colours. */
  readonly key: number;
  readonly lines: ReadonlySet<number>;
  /** `lines` omits hashes at or above this value. */
  readonly below: number;
}

/** Number of lines up to which the comparison is exact. */
const SAMPLE_SIZE = 1_024;
/** Above every hash. Hashes are signed 32-bit integers, which engines store without heap allocation. */
const ALL = 2 ** 31;

const SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;
const NEWLINE = 10;
/** Offset of the table rows that apply after a digit: a number of any length counts as one byte. */
const AFTER_DIGIT = 256;

// Lookup tables: what a byte adds to the hash of its line, by whether a digit precedes it. An ignored byte leaves the hash
// unchanged in the same three steps, because a mispredicted branch would cost more.
const BYTE_VALUE = new Uint8Array(2 * AFTER_DIGIT);
const FACTOR = new Int32Array(2 * AFTER_DIGIT).fill(PRIME);
const NEXT_ROW = new Uint16Array(2 * AFTER_DIGIT);
for (let at = 0; at < 2 * AFTER_DIGIT; at++) {
  const byte = at % AFTER_DIGIT;
  const [before, isDigit] = [at - byte, byte >= 48 && byte <= 57];
  const isIgnored = byte <= 32 || byte === 127 || (isDigit && before === AFTER_DIGIT);
  const lower = byte >= 65 && byte <= 90 ? byte + 32 : byte;
  BYTE_VALUE[at] = isIgnored ? 0 : isDigit ? 1 : lower;
  if (isIgnored) FACTOR[at] = 1;
  NEXT_ROW[at] = isDigit ? AFTER_DIGIT : isIgnored ? before : 0;
}

/** Bottom-k sample: keeps the lowest hashes, which is a random choice of lines. */
class Sample {
  lines = new Set<number>();
  below = ALL;

  add(hash: number): void {
    if (hash >= this.below) return;
    this.lines.add(hash);
    if (this.lines.size <= 2 * SAMPLE_SIZE) return;
    const lowest = [...this.lines].sort((a, b) => a - b).slice(0, SAMPLE_SIZE);
    this.below = (lowest.at(-1) ?? 0) + 1;
    this.lines = new Set(lowest);
  }
}

function mixBits(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

const bytes = new TextEncoder();

/** Calls `visit` with the hash of each non-empty line. */
function eachLine(content: Uint8Array, visit: (line: number) => void): void {
  let line = SEED;
  let row = 0;
  for (let at = 0; at < content.length; at++) {
    const byte = content[at] as number;
    const place = row + byte;
    line = Math.imul(line ^ (BYTE_VALUE[place] as number), FACTOR[place] as number);
    row = NEXT_ROW[place] as number;
    if (byte !== NEWLINE) continue;
    if (line !== SEED) visit(mixBits(line));
    line = SEED;
    row = 0;
  }
  if (line !== SEED) visit(mixBits(line));
}

export function sketchOf(text: string): Sketch {
  const sample = new Sample();
  let key = 0;
  eachLine(bytes.encode(text), (hash) => {
    sample.add(hash);
    key = (Math.imul(key, 31) + hash) | 0;
  });
  const { lines, below } = sample;
  return { isEmpty: lines.size === 0, key: mixBits(key), lines, below };
}

/** Sketch of several texts, one after the other. */
export function joinSketches(sketches: readonly Sketch[]): Sketch {
  const sample = new Sample();
  sample.below = Math.min(...sketches.map(({ below }) => below));
  for (const { lines } of sketches) for (const hash of lines) sample.add(hash);
  const key = sketches.reduce((sum, one) => (Math.imul(sum, 31) + one.key) | 0, 0);
  return {
    isEmpty: sketches.every(({ isEmpty }) => isEmpty),
    key: mixBits(key),
    lines: sample.lines,
    below: sample.below,
  };
}

/** Jaccard similarity of the lines, 0..1: exact for short texts, within a few hundredths for long ones. 0 for empty texts. */
export function sketchSimilarity(one: Sketch, other: Sketch): number {
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
