// Logger for DBOS: passes warnings and errors to the worker's log and drops the rest.

export function quietLogger(warn: (text: string) => void) {
  const messageOf = (entry: unknown) => (entry instanceof Error ? entry.message : String(entry));
  return {
    info: () => {},
    debug: () => {},
    warn: (entry: unknown) => warn(messageOf(entry)),
    error: (entry: unknown) => warn(messageOf(entry)),
  };
}
