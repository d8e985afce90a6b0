// A secret value, and the name that is shown instead of it.
export interface Secret {
  /** The variable that holds it. */
  readonly name: string;
  readonly value: string;
}

/** Minimum length: shorter values occur by chance in too many texts. */
export const SHORTEST = 8;
