// Target and result of an installation of session loops.

export interface Place {
  readonly scope: "project" | "user";
  /** The project's folder. */
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Expected maximum number of iterations, for programs that stop continued sessions after a limit. */
  readonly maxIterations?: number;
}

/** What was done, and what else the user should know. */
export interface Installed {
  readonly done: readonly string[];
  readonly notes: readonly string[];
}
