// What the gate is told: whose runs to look at, and how long to wait for them.

export interface CiOptions {
  /** `owner/name`; without it, what the remote `origin` of the workspace says. */
  readonly repository?: string;
  /** By file name or by name; without them, every workflow that ran for the commit. */
  readonly workflows?: readonly string[];
  /** Judges the tip of this branch, and only runs that were made for it. */
  readonly branch?: string;
  /** Full id; without it and without a branch, the commit that is checked out. */
  readonly commit?: string;
  readonly baseUrl?: string;
  /** Name of the environment variable with the token. */
  readonly tokenEnv?: string;
  /** For the whole wait. */
  readonly timeoutMs?: number;
  readonly poll?: { readonly firstMs: number; readonly maxMs: number };
  /** How long runs may take to appear. */
  readonly noRunsMs?: number;
  /** Fails unless the commit has exactly the judged files. */
  readonly requireCommitted?: boolean;
}

export const DEFAULTS = {
  baseUrl: "https://api.github.com",
  timeoutMs: 30 * 60_000,
  poll: { firstMs: 10_000, maxMs: 60_000 },
  noRunsMs: 2 * 60_000,
  requireCommitted: true,
} as const;
