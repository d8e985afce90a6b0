// Where session loops are installed, and what came of it.

export interface Place {
  readonly scope: "project" | "user";
  /** The project's folder. */
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  /** What most loops will want at most; for programs that let go by themselves. */
  readonly maxIterations?: number;
}

/** What was done, and what else the user should know. */
export interface Installed {
  readonly done: readonly string[];
  readonly notes: readonly string[];
}
