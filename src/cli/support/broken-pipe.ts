// Handles a broken pipe on stdout or stderr: `converge show | head -1`, or a closed terminal.

const GONE: readonly unknown[] = ["EPIPE", "EIO"];

export function onReaderGone(then: () => void): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!GONE.includes(error.code)) throw error;
      then();
    });
}
