// Matches all encoded secrets in one pass: a lazily built state machine, one table lookup per byte.
import type { Chain } from "./encodings.ts";

/** A partial match of a chain. */
interface Thread {
  readonly chain: number;
  readonly step: number;
  /** Index of the step's byte string, and how much of it has matched; -1 when the step has not begun. */
  readonly form: number;
  readonly offset: number;
  /** Bytes since the match began. */
  readonly age: number;
}

interface Hit {
  readonly chain: number;
  readonly length: number;
}

/** State of the machine after the bytes seen so far. */
export interface State {
  readonly threads: readonly Thread[];
  /** How many of the last bytes may belong to an unfinished match. */
  readonly age: number;
  /** Matches that end here. */
  readonly hits: readonly Hit[];
}

export interface Automaton {
  /** The state before the first byte. */
  readonly start: State;
  /** Calls `onHit` with the end and length of each match, in ascending order of ends. */
  scan(bytes: Uint8Array, from: State, onHit: (end: number, hit: Hit) => void): State;
}

/** Limits the table to 2 MB; input that needs more states, even hostile input, only resets it. */
const MAX_STATES = 4_096;

const NOT_BEGUN = -1;

/** Marks the byte pairs a chain can begin with; scanning skips everything else. */
function firstPairs(chains: readonly Chain[]): Uint8Array {
  const pairs = new Uint8Array(256 * 256);
  for (const { steps } of chains)
    for (const form of steps[0] ?? []) {
      const seconds = form.length > 1 ? [form] : (steps[1] ?? []).map((next) => [0, ...next]);
      for (const second of seconds) pairs[((form[0] ?? 0) << 8) | (second[1] ?? 0)] = 1;
    }
  return pairs;
}

/** Returns the position of the next marked pair, or the last byte. */
function skip(bytes: Uint8Array, from: number, pairs: Uint8Array): number {
  const last = bytes.length - 1;
  let at = from;
  while (at < last && pairs[((bytes[at] as number) << 8) | (bytes[at + 1] as number)] === 0) at++;
  return at;
}

const START: State = { threads: [], age: 0, hits: [] };

/** What the chains determine: the machine's rules. */
interface Rules {
  readonly chains: readonly Chain[];
  /** New threads to begin at each byte. */
  readonly threadsByFirstByte: readonly (readonly Thread[])[];
}

const formsAt = (chains: readonly Chain[], { chain, step }: Thread) => chains[chain]?.steps[step] ?? [];

function rulesOf(chains: readonly Chain[]): Rules {
  const threadsByFirstByte: Thread[][] = Array.from({ length: 256 }, () => []);
  chains.forEach((_, chain) => {
    const thread = { chain, step: 0, form: NOT_BEGUN, offset: 0, age: 0 };
    for (const first of new Set(formsAt(chains, thread).map((bytes) => bytes[0] ?? 0)))
      threadsByFirstByte[first]?.push(thread);
  });
  return { chains, threadsByFirstByte };
}

/** Moves a thread on by one byte; its form has `length` bytes. */
function moveOn(thread: Thread, length: number): Thread {
  const age = thread.age + 1;
  return thread.offset + 1 < length
    ? { ...thread, offset: thread.offset + 1, age }
    : { chain: thread.chain, step: thread.step + 1, form: NOT_BEGUN, offset: 0, age };
}

function advance(thread: Thread, byte: number, chains: readonly Chain[]): Thread[] {
  const forms = formsAt(chains, thread);
  if (thread.form !== NOT_BEGUN) {
    const bytes = forms[thread.form];
    return bytes?.[thread.offset] === byte ? [moveOn(thread, bytes.length)] : [];
  }
  return forms.flatMap((bytes, form) =>
    bytes[0] === byte ? [moveOn({ ...thread, form, offset: 0 }, bytes.length)] : [],
  );
}

function nextState(state: State, byte: number, { chains, threadsByFirstByte }: Rules): State {
  // Of two threads at the same position, only the older one counts.
  const threads = new Map<string, Thread>();
  const hits: Hit[] = [];
  for (const thread of [...state.threads, ...(threadsByFirstByte[byte] ?? [])])
    for (const advanced of advance(thread, byte, chains)) {
      const position = `${advanced.chain} ${advanced.step} ${advanced.form} ${advanced.offset}`;
      if (advanced.step === chains[advanced.chain]?.steps.length)
        hits.push({ chain: advanced.chain, length: advanced.age });
      else if ((threads.get(position)?.age ?? 0) < advanced.age) threads.set(position, advanced);
    }
  const all = [...threads.values()];
  return { threads: all, hits, age: all.reduce((most, { age }) => Math.max(most, age), 0) };
}

/** The states met so far, numbered from 1, and the transitions between them. */
interface Transitions {
  readonly states: State[];
  readonly numbers: Map<string, number>;
  /** Transition per state and byte: 0 unknown, positive the next state, negative a next state with a hit. */
  table: Int16Array;
}

function numberOf(state: State, transitions: Transitions): number {
  const { states, numbers, table } = transitions;
  const key = JSON.stringify([state.threads.map(Object.values), state.hits.map(Object.values)]);
  const known = numbers.get(key);
  if (known !== undefined) return known;
  // Number 0 means "unknown".
  const number = states.push(state);
  numbers.set(key, number);
  if ((number + 1) * 256 > table.length) {
    transitions.table = new Int16Array(table.length * 2);
    transitions.table.set(table);
  }
  return number;
}

function reset({ states, numbers, table }: Transitions): void {
  states.length = 0;
  numbers.clear();
  table.fill(0);
}

const stateOf = (number: number, { states }: Transitions): State => states[number - 1] ?? START;

export function automaton(chains: readonly Chain[]): Automaton {
  const rules = rulesOf(chains);
  const pairs = firstPairs(chains);
  const transitions: Transitions = { states: [], numbers: new Map(), table: new Int16Array(64 * 256) };

  /** Creates the next state; negative when it has a hit. */
  const follow = (state: State, byte: number): number => {
    const after = nextState(state, byte, rules);
    if (transitions.states.length >= MAX_STATES - 2) reset(transitions);
    const from = numberOf(state, transitions);
    const number = numberOf(after, transitions);
    const to = after.hits.length > 0 ? -number : number;
    transitions.table[from * 256 + byte] = to;
    return to;
  };

  return {
    start: START,
    scan(bytes, from, onHit) {
      let number = numberOf(from, transitions);
      for (let at = 0; at < bytes.length; at++) {
        if (stateOf(number, transitions).age === 0) at = skip(bytes, at, pairs);
        const byte = bytes[at] as number;
        const known = transitions.table[(number << 8) | byte] as number;
        const to = known === 0 ? follow(stateOf(number, transitions), byte) : known;
        number = Math.abs(to);
        if (to < 0) for (const hit of stateOf(number, transitions).hits) onHit(at + 1, hit);
      }
      return stateOf(number, transitions);
    },
  };
}
