// What the queue's machinery says: warnings for the worker's log, the rest for nobody.

export function quietLogger(warn: (text: string) => void) {
  const words = (entry: unknown) => (entry instanceof Error ? entry.message : String(entry));
  return {
    info: () => {},
    debug: () => {},
    warn: (entry: unknown) => warn(words(entry)),
    error: (entry: unknown) => warn(words(entry)),
  };
}
