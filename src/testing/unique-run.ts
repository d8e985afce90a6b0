// Unique run id per suite: processes are found by run id, so concurrent suites must not kill each other's processes.

export function uniqueRun(): string {
  return `conformance-${globalThis.crypto.randomUUID()}`;
}
