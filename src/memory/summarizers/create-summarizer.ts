// Option schema and factory of the summarizer of a memory: an agent, a command or an endpoint.
import * as z from "zod";
import { dropUndefined } from "#options/option";
import type { PartContext } from "#options/part";
import { agentOption, program } from "#options/part-options";
import { listed } from "#options/sentence";
import { text } from "#options/values";
import { agent as agentSummarizer } from "./agent.ts";
import { command } from "./command.ts";
import { endpoint } from "./endpoint.ts";
import type { Summarizer } from "./summarizer.ts";

const url = text.refine(
  (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    return /^https?:$/.test(parsed?.protocol ?? "") && !parsed?.username && !parsed?.password;
  },
  { error: "expected an http or https address without a password, like https://api.openai.com/v1" },
);

// The message never repeats the value, because the user may have written the key itself.
const keyEnv = text.refine((name) => /^[A-Za-z_]\w*$/.test(name), {
  error: "expected the name of an environment variable; the key itself belongs in the environment",
});

const KINDS = ["agent", "command", "url"] as const;

export const summarizerOptions = z
  .strictObject({
    agent: agentOption.optional(),
    command: program.optional(),
    url: url.optional(),
    model: text.optional(),
    keyEnv: keyEnv.optional(),
  })
  .superRefine((value, context) => {
    const complain = (message: string, path: string[] = []) =>
      context.addIssue({ code: "custom", message, path });
    const kinds = KINDS.filter((kind) => value[kind] !== undefined);
    if (kinds.length !== 1)
      complain(`expected one of ${listed(KINDS)}, got ${kinds.join(" and ") || "none of them"}`);
    if (value.url !== undefined && value.model === undefined)
      complain("expected the name of a model, which url needs", ["model"]);
    for (const key of ["model", "keyEnv"] as const)
      if (value[key] !== undefined && value.url === undefined) complain("has no effect without url", [key]);
  });

/** Creates the summarizer. Defaults to the task's first agent. */
export async function createSummarizer(
  value: z.output<typeof summarizerOptions> | undefined,
  context: PartContext,
): Promise<Summarizer> {
  const { agent: component, command: line, url: endpointUrl, model, keyEnv: key } = value ?? {};
  if (line !== undefined) return command(line);
  if (endpointUrl !== undefined && model !== undefined)
    return endpoint(dropUndefined({ url: endpointUrl, model, keyEnv: key }));
  return agentSummarizer(await context.agent(component));
}
