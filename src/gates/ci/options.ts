// Options of the CI gate: which runs to check, and how long to wait for them.

export interface CiOptions {
  /** `owner/name`; by default, from the workspace's remote `origin`. */
  readonly repository?: string;
  /** File names or names of workflows; by default, every workflow that ran for the commit. */
  readonly workflows?: readonly string[];
  /** Judges the tip of this branch, and only runs for this branch. */
  readonly branch?: string;
  /** Full commit id; by default, the tip of `branch` or else the checked-out commit. */
  readonly commit?: string;
  readonly baseUrl?: string;
  /** Name of the environment variable with the token. */
  readonly tokenEnv?: string;
  /** Timeout of the whole wait. */
  readonly timeoutMs?: number;
  readonly poll?: { readonly firstMs: number; readonly maxMs: number };
  /** How long to wait for the first runs to appear. */
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
