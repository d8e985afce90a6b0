// Errors for misuse. What agents and gates do is data, never an exception.

/** The request cannot be done; the message says what was expected, what was found, and what to do. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** The task file is invalid. Every problem names its location. */
export class ConfigError extends UsageError {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** The data exceeds the limit of a store. It is not stored; nothing else is affected. */
export class TooLargeError extends UsageError {
  override readonly name = "TooLargeError";
}

/** A required service is unreachable at the moment; a retry may succeed. */
export class UnreachableError extends UsageError {}

/** Another writer has appended to the run: this writer is stale and must stop at once. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
  constructor(run: string, expected: number, actual: number) {
    super(
      `run ${run}: expected to append after event ${expected}, but the store is at ${actual}; another process drives this run`,
    );
  }
}

/** A user-supplied part (custom strategy, gate, agent) broke its contract. */
export class ExtensionError extends Error {
  override readonly name = "ExtensionError";
}

/** The stored events of a run do not match their hash chain: somebody edited them, and none can be trusted. */
export class TamperedError extends Error {
  override readonly name = "TamperedError";
  readonly run: string;
  constructor(run: string, what: string, place: string) {
    super(
      `the record of run ${run} was changed from outside: ${what}. It can no longer be trusted. Keep ${place} to find out what happened, and restore a backup or start a new run`,
    );
    this.run = run;
  }
}
