// A value that must not be seen, under the name that is shown instead of it.
export interface Secret {
  /** The variable that has it. */
  readonly name: string;
  readonly value: string;
}

/** Shorter values are found in too many texts that have nothing to do with them. */
export const SHORTEST = 8;
