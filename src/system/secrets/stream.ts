// Masks secrets in a byte stream across chunk borders: holds back only bytes that may begin a secret.
import type { Automaton, State } from "./automaton.ts";

export interface MaskingStream {
  /** Returns the bytes that are safe to show by now. */
  push(chunk: Buffer): Buffer;
  /** Returns the rest. */
  end(): Buffer;
}

/** A range of secret bytes, counted from the first held byte. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly mark: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** Merges overlapping secrets into one span, which takes the mark of the first complete one. */
function addSpan(spans: Span[], added: Span): void {
  let { start, mark } = added;
  for (let last = spans.at(-1); last && last.end > start; last = spans.at(-1)) {
    start = Math.min(start, last.start);
    mark = last.mark;
    spans.pop();
  }
  spans.push({ start, end: added.end, mark });
}

/** `marks` holds the replacement for each chain. */
export function maskingStream(automaton: Automaton, marks: readonly Buffer[]): MaskingStream {
  let pending: Buffer = NOTHING;
  let state: State = automaton.start;
  let spans: Span[] = [];

  /** Releases all bytes before `limit`. A span that continues beyond it is replaced once its end is known. */
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
    // Copy: a subarray would keep the whole chunk in memory.
    pending = limit < bytes.length ? Buffer.from(bytes.subarray(limit)) : NOTHING;
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  };

  return {
    push(chunk) {
      const before = pending.length;
      state = automaton.scan(chunk, state, (end, { chain, length }) => {
        const stop = before + end;
        addSpan(spans, { start: Math.max(0, stop - length), end: stop, mark: marks[chain] ?? NOTHING });
      });
      const bytes = before > 0 ? Buffer.concat([pending, chunk]) : chunk;
      return release(bytes, bytes.length - state.age);
    },
    end() {
      state = automaton.start;
      return release(pending, pending.length);
    },
  };
}
