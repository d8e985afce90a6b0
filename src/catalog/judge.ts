// Option schema and factory of the judge gate.
import * as z from "zod";
import { judge } from "#gates/judge";
import { duration } from "#options/duration";
import { count, text } from "#options/values";
import type { Gate } from "#spec/gate";
import type { PartContext } from "./part-context.ts";
import type { Entry } from "./registry.ts";
import { agent, fraction, given } from "./shared-options.ts";

const options = z.strictObject({
  agent,
  criteria: text.optional(),
  minScore: fraction.optional(),
  timeout: duration.optional(),
  diffChars: count(1_000_000).optional(),
});

export const judgeEntry: Entry<Gate, PartContext, z.output<typeof options>> = {
  options,
  create: async ({ agent: described, timeout, ...rest }, context) =>
    judge(context.name, {
      agent: await context.agent(described),
      ...given({ ...rest, timeoutMs: timeout }),
    }),
};
