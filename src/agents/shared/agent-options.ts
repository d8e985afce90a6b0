// Option schemas that several agents share.
import * as z from "zod";
import { env, grace } from "#options/part-options";
import { text } from "#options/values";
import { isNeverForAgents } from "#system/environment";

/** Names of variables, or `PREFIX_*`. Rejects names that are never passed to an agent instead of dropping them silently. */
const passEnv = z.array(
  text
    .regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, { error: "expected the name of a variable, or PREFIX_*" })
    .refine((name) => !isNeverForAgents(name.replace(/\*$/, "")), {
      error: "is never passed on, because it steers other programs; write its value under env",
    }),
);

/** Options of every agent that is a process. */
export const processOptions = {
  env: env.optional(),
  passEnv: passEnv.optional(),
  grace: grace.optional(),
};

export const permissionOptions = {
  permissions: z.enum(["auto", "all"]).optional(),
  allow: z.array(text).optional(),
};
