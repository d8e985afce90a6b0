// Waits for something, but not forever.

/** Tells whether it was done in time; what it throws is thrown. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([work.then(() => true), over]);
  } finally {
    clearTimeout(timer);
  }
}
