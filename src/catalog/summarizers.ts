// Who sums up for a memory, as people write it: an agent, a command or an endpoint.
import * as z from "zod";
import { listed } from "#config/sentence";
import { text } from "#config/values";
import { agent as agentSummarizer } from "#memory/summarizers/agent";
import { command } from "#memory/summarizers/command";
import { endpoint } from "#memory/summarizers/endpoint";
import type { Summarizer } from "#memory/summarizers/summarizer";
import type { PartContext } from "./part-context.ts";
import { agent, given, program } from "./shared-options.ts";

const url = text.refine(
  (written) => {
    const parsed = URL.canParse(written) ? new URL(written) : undefined;
    return /^https?:$/.test(parsed?.protocol ?? "") && !parsed?.username && !parsed?.password;
  },
  { error: "expected an http or https address without a password, like https://api.openai.com/v1" },
);

// The value is not repeated: somebody may have written the key itself.
const keyEnv = text.refine((name) => /^[A-Za-z_]\w*$/.test(name), {
  error: "expected the name of an environment variable; the key itself belongs in the environment",
});

const KINDS = ["agent", "command", "url"] as const;

export const by = z
  .strictObject({
    agent: agent.optional(),
    command: program.optional(),
    url: url.optional(),
    model: text.optional(),
    keyEnv: keyEnv.optional(),
  })
  .superRefine((written, context) => {
    const complain = (message: string, path: string[] = []) =>
      context.addIssue({ code: "custom", message, path });
    const kinds = KINDS.filter((kind) => written[kind] !== undefined);
    if (kinds.length !== 1)
      complain(`expected one of ${listed(KINDS)}, got ${kinds.join(" and ") || "none of them"}`);
    if (written.url !== undefined && written.model === undefined)
      complain("expected the name of a model, which url needs", ["model"]);
    for (const key of ["model", "keyEnv"] as const)
      if (written[key] !== undefined && written.url === undefined)
        complain("has no effect without url", [key]);
  });

/** The task's own agent, the first of them, when nobody is named. */
export async function summarizerOf(
  written: z.output<typeof by> | undefined,
  context: PartContext,
): Promise<Summarizer> {
  const { agent: described, command: program, url: address, model, keyEnv: key } = written ?? {};
  if (program !== undefined) return command(program);
  if (address !== undefined && model !== undefined)
    return endpoint(given({ url: address, model, keyEnv: key }));
  return agentSummarizer(await context.agent(described));
}
