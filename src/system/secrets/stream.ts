// Masks a stream of bytes however it is cut: it holds back what may be the beginning of a secret, and nothing else.
import type { Automaton, State } from "./automaton.ts";

export interface MaskingStream {
  /** What may be shown by now. */
  push(chunk: Buffer): Buffer;
  /** The rest. */
  end(): Buffer;
}

/** Bytes that must not be seen, from the first byte that is held on. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly mark: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** Overlapping secrets are one span, which is named after the one that was complete first. */
function addSpan(spans: Span[], added: Span): void {
  let { start, mark } = added;
  for (let last = spans.at(-1); last && last.end > start; last = spans.at(-1)) {
    start = Math.min(start, last.start);
    mark = last.mark;
    spans.pop();
  }
  spans.push({ start, end: added.end, mark });
}

/** `marks` has for each chain what is shown instead. */
export function maskingStream(automaton: Automaton, marks: readonly Buffer[]): MaskingStream {
  let held: Buffer = NOTHING;
  let state: State = automaton.start;
  let spans: Span[] = [];

  /** Gives out all bytes before `limit`. A span that goes on after it is shown when its end is known. */
  const release = (bytes: Buffer, limit: number): Buffer => {
    const parts: Buffer[] = [];
    let at = 0;
    const open = spans.filter(({ start, end, mark }) => {
      if (start > at && at < limit) parts.push(bytes.subarray(at, Math.min(start, limit)));
      if (end > limit) {
        at = Math.max(at, Math.min(end, limit));
        return true;
      }
      parts.push(mark);
      at = end;
      return false;
    });
    if (at < limit) parts.push(bytes.subarray(at, limit));
    spans = open.map(({ start, end, mark }) => ({
      start: Math.max(0, start - limit),
      end: end - limit,
      mark,
    }));
    // A copy: what is held must not keep a whole chunk in memory.
    held = limit < bytes.length ? Buffer.from(bytes.subarray(limit)) : NOTHING;
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  };

  return {
    push(chunk) {
      const before = held.length;
      state = automaton.scan(chunk, state, (end, { chain, length }) => {
        const stop = before + end;
        addSpan(spans, { start: Math.max(0, stop - length), end: stop, mark: marks[chain] ?? NOTHING });
      });
      const bytes = before > 0 ? Buffer.concat([held, chunk]) : chunk;
      return release(bytes, bytes.length - state.age);
    },
    end() {
      state = automaton.start;
      return release(held, held.length);
    },
  };
}
