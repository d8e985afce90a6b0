// Options of the CI gate: which runs to check, and how long to wait for them.
import * as z from "zod";
import { duration } from "#options/duration";
import { dropUndefined } from "#options/option";
import { names, text } from "#options/values";
import { isPrivate } from "#system/http";

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

const LONGEST_POLL_MS = 60_000;

const repository = text
  .regex(/^[\w.-]+\/[\w.-]+$/, { error: "expected owner/name" })
  .refine((name) => !name.split("/").some((part) => /^\.+$/.test(part)), { error: "expected owner/name" });

const branch = text.regex(/^(?![-/])[^\s~^:?*[\\\u0000-\u001f\u007f]+$/, {
  error: "expected the name of a branch",
});

const commit = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i, { error: "expected the full id of a commit" })
  .toLowerCase();

const baseUrl = text.refine(
  (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    return url !== undefined && isPrivate(url) && !url.username && !url.password && !url.search && !url.hash;
  },
  { error: "expected an https address like https://github.example.com/api/v3 (http only on this machine)" },
);

// The message never repeats the value, because the user may have written the token itself.
const tokenEnv = text.refine((name) => /^[A-Za-z_]\w*$/.test(name) && !/^(gh[a-z]_|github_pat_)/.test(name), {
  error: "expected the name of an environment variable; the token itself belongs in the environment",
});

const poll = z
  .union([
    duration.transform((first) => ({ first, max: undefined })),
    z.strictObject({ first: duration, max: duration.optional() }),
  ])
  .refine(({ first, max }) => max === undefined || max >= first, {
    path: ["max"],
    error: "expected max to be at least as long as first",
  })
  .transform(({ first, max }) => ({ firstMs: first, maxMs: max ?? Math.max(first, LONGEST_POLL_MS) }));

export const ciOptions = z
  .strictObject({
    repository: repository.optional(),
    workflows: names
      .refine((list) => list.length > 0, {
        error: "expected at least one workflow; omit workflows to require all of them",
      })
      .optional(),
    branch: branch.optional(),
    commit: commit.optional(),
    baseUrl: baseUrl.optional(),
    tokenEnv: tokenEnv.optional(),
    timeout: duration.optional(),
    poll: poll.optional(),
    noRuns: duration.optional(),
    requireCommitted: z.boolean().optional(),
  })
  .refine(({ timeout, noRuns }) => timeout === undefined || noRuns === undefined || noRuns <= timeout, {
    path: ["noRuns"],
    error: "expected noRuns to be at most timeout; a longer one has no effect",
  })
  .transform(
    ({ timeout, noRuns, ...rest }): CiOptions =>
      dropUndefined({ ...rest, timeoutMs: timeout, noRunsMs: noRuns }),
  );
