// Finds all chains at once: a state machine that is made as it is needed, so that each byte costs one look in a table.
import type { Chain } from "./encodings.ts";

/** A chain that has been seen in part. */
interface Thread {
  readonly chain: number;
  readonly step: number;
  /** Which of the step's byte strings, and how much of it was seen; -1 when the step has not begun. */
  readonly form: number;
  readonly offset: number;
  /** Bytes since it began. */
  readonly age: number;
}

interface Hit {
  readonly chain: number;
  readonly length: number;
}

/** All that matters of the bytes seen so far. */
export interface State {
  readonly threads: readonly Thread[];
  /** How many of the last bytes may yet be part of something. */
  readonly age: number;
  /** What ends here. */
  readonly hits: readonly Hit[];
}

export interface Automaton {
  /** The state before the first byte. */
  readonly start: State;
  /** `onHit` is told where a chain ends, and how long it is; ends never go back. */
  scan(bytes: Uint8Array, from: State, onHit: (end: number, hit: Hit) => void): State;
}

/** A table of 2 MB; texts that need more states, by accident or to annoy, make it begin again. */
const MOST_STATES = 4_096;

const NOT_BEGUN = -1;

/** Marks the pairs of bytes that a chain can begin with: most of a text is passed over by these alone. */
function firstPairs(chains: readonly Chain[]): Uint8Array {
  const pairs = new Uint8Array(256 * 256);
  for (const { steps } of chains)
    for (const form of steps[0] ?? []) {
      const seconds = form.length > 1 ? [form] : (steps[1] ?? []).map((next) => [0, ...next]);
      for (const second of seconds) pairs[((form[0] ?? 0) << 8) | (second[1] ?? 0)] = 1;
    }
  return pairs;
}

/** The place of the next pair that is marked, or the last byte. */
function skip(bytes: Uint8Array, from: number, pairs: Uint8Array): number {
  const last = bytes.length - 1;
  let at = from;
  while (at < last && pairs[((bytes[at] as number) << 8) | (bytes[at + 1] as number)] === 0) at++;
  return at;
}

export function automaton(chains: readonly Chain[]): Automaton {
  const formsAt = ({ chain, step }: Thread) => chains[chain]?.steps[step] ?? [];

  /** What becomes of a thread when this form of its step has gone on by one byte. */
  const grown = (thread: Thread, form: number, offset: number, length: number): Thread => {
    const age = thread.age + 1;
    return offset + 1 < length
      ? { ...thread, form, offset: offset + 1, age }
      : { chain: thread.chain, step: thread.step + 1, form: NOT_BEGUN, offset: 0, age };
  };

  const advance = (thread: Thread, byte: number): Thread[] => {
    const forms = formsAt(thread);
    if (thread.form !== NOT_BEGUN) {
      const bytes = forms[thread.form];
      return bytes?.[thread.offset] === byte ? [grown(thread, thread.form, thread.offset, bytes.length)] : [];
    }
    return forms.flatMap((bytes, form) => (bytes[0] === byte ? [grown(thread, form, 0, bytes.length)] : []));
  };

  const beginnings: Thread[][] = Array.from({ length: 256 }, () => []);
  chains.forEach((_, chain) => {
    const thread = { chain, step: 0, form: NOT_BEGUN, offset: 0, age: 0 };
    for (const first of new Set(formsAt(thread).map((bytes) => bytes[0] ?? 0)))
      beginnings[first]?.push(thread);
  });

  const next = (state: State, byte: number): State => {
    // Of two threads at the same place the older one covers the other.
    const threads = new Map<string, Thread>();
    const hits: Hit[] = [];
    for (const thread of [...state.threads, ...(beginnings[byte] ?? [])])
      for (const moved of advance(thread, byte)) {
        const place = `${moved.chain} ${moved.step} ${moved.form} ${moved.offset}`;
        if (moved.step === chains[moved.chain]?.steps.length)
          hits.push({ chain: moved.chain, length: moved.age });
        else if ((threads.get(place)?.age ?? 0) < moved.age) threads.set(place, moved);
      }
    const all = [...threads.values()];
    return { threads: all, hits, age: all.reduce((most, { age }) => Math.max(most, age), 0) };
  };

  const pairs = firstPairs(chains);
  const start: State = { threads: [], age: 0, hits: [] };
  const states: State[] = [];
  const numbers = new Map<string, number>();
  /** For a state and a byte: 0 not known yet, positive the next state, negative a next state in which something ends. */
  let table = new Int16Array(64 * 256);

  const numberOf = (state: State): number => {
    const key = JSON.stringify([state.threads.map(Object.values), state.hits.map(Object.values)]);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    // Number 0 stands for "not known".
    const number = states.push(state);
    numbers.set(key, number);
    if ((number + 1) * 256 > table.length) {
      const larger = new Int16Array(table.length * 2);
      larger.set(table);
      table = larger;
    }
    return number;
  };

  const forget = () => {
    states.length = 0;
    numbers.clear();
    table.fill(0);
  };

  /** Looks up or makes the state that follows; negative when something ends in it. */
  const follow = (state: State, byte: number): number => {
    const after = next(state, byte);
    if (states.length >= MOST_STATES - 2) forget();
    const from = numberOf(state);
    const to = after.hits.length > 0 ? -numberOf(after) : numberOf(after);
    table[from * 256 + byte] = to;
    return to;
  };

  const stateOf = (number: number): State => states[number - 1] ?? start;

  return {
    start,
    scan(bytes, from, onHit) {
      let number = numberOf(from);
      for (let at = 0; at < bytes.length; at++) {
        if (stateOf(number).age === 0) at = skip(bytes, at, pairs);
        const byte = bytes[at] as number;
        const known = table[(number << 8) | byte] as number;
        const to = known === 0 ? follow(stateOf(number), byte) : known;
        number = Math.abs(to);
        if (to < 0) for (const hit of stateOf(number).hits) onHit(at + 1, hit);
      }
      return stateOf(number);
    },
  };
}
