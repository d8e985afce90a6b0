// An async queue between a callback and a generator: one side pushes, the other iterates, and it ends once.

export interface Channel<T> extends AsyncIterable<T> {
  push(value: T): void;
  end(): void;
}

export function channel<T>(): Channel<T> {
  const queue: T[] = [];
  let ended = false;
  let wake = () => {};
  return {
    push: (value) => {
      queue.push(value);
      wake();
    },
    end: () => {
      ended = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        yield* queue.splice(0);
        if (ended && queue.length === 0) return;
        if (queue.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
