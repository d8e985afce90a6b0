// Processes are found by the id of their run: two suites at work at the same time must not end each other's.

export function uniqueRun(): string {
  return `conformance-${globalThis.crypto.randomUUID()}`;
}
