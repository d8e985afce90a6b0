// Option schema of the `ci` gate.
import * as z from "zod";
import type { CiOptions } from "#gates/ci/options";
import { duration } from "#options/duration";
import { names, text } from "#options/values";
import { isPrivate } from "#system/http";
import { given } from "./shared-options.ts";

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

// The message never repeats the value, because the user may have value the token itself.
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
    ({ timeout, noRuns, ...rest }): CiOptions => given({ ...rest, timeoutMs: timeout, noRunsMs: noRuns }),
  );
