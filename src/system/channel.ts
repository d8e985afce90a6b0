// A queue between a callback and a generator: pushed on one side, iterated on the other, ended once.

export interface Channel<T> extends AsyncIterable<T> {
  push(value: T): void;
  end(): void;
}

export function channel<T>(): Channel<T> {
  const waiting: T[] = [];
  let ended = false;
  let wake = () => {};
  return {
    push: (value) => {
      waiting.push(value);
      wake();
    },
    end: () => {
      ended = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        yield* waiting.splice(0);
        if (ended && waiting.length === 0) return;
        if (waiting.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
