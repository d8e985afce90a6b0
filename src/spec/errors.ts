// Thrown for misuse only; what agents and gates do is data, not an exception.

/** Something the user asked for cannot be done; the message says what was expected, what there was, and the next step. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** The task file is wrong. Every problem carries the place where it stands. */
export class ConfigError extends UsageError {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** More than a store takes. What was to be kept is not, and nothing else is harmed. */
export class TooLargeError extends UsageError {
  override readonly name = "TooLargeError";
}

/** Another writer has appended to the run: this one is a zombie and must stop at once. */
/** What is needed cannot be reached just now: nobody's fault, and it may be tried again. */
export class UnreachableError extends UsageError {}

export class ConflictError extends Error {
  override readonly name = "ConflictError";
  constructor(run: string, expected: number, actual: number) {
    super(
      `run ${run}: expected to append after event ${expected}, but the store is at ${actual}; another process drives this run`,
    );
  }
}

/** A part that the user supplied (custom strategy, gate, agent) broke its contract. */
export class ExtensionError extends Error {
  override readonly name = "ExtensionError";
}

/** The record of a run is not what was written: somebody else had a hand in it, and nothing it says can be believed. */
export class TamperedError extends Error {
  override readonly name = "TamperedError";
  readonly run: string;
  constructor(run: string, what: string, place: string) {
    super(
      `the record of run ${run} was changed from outside: ${what}. It can no longer be believed; it lies in ${place}: keep that to see what was done, and put a backup in its place, or start a new run`,
    );
    this.run = run;
  }
}
