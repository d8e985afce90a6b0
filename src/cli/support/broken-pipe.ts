// The reader of our output may go away before we are done: `converge show | head -1`, a closed window.

const GONE: readonly unknown[] = ["EPIPE", "EIO"];

export function onReaderGone(then: () => void): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!GONE.includes(error.code)) throw error;
      then();
    });
}
