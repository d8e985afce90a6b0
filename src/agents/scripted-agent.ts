// Scripted agent with a list of steps per iteration. It does real work on real files, for demos and tests.
import fs from "node:fs";
import path from "node:path";
import * as z from "zod";
import { durationOrZero } from "#options/duration";
import { defineAgent } from "#options/part";
import { text } from "#options/values";
import type { Agent, AgentEvent, AgentFailure, AgentRequest, AgentResult, Usage } from "#spec/agent";
import { agentEnvironment } from "#system/environment";
import { pathInside } from "#system/inside";
import { type ProcessEnd, runProcess } from "#system/processes/process";
import { secrets } from "#system/secrets/secrets";
import { plain, tail } from "#text/plain-text";
import { enclosureFor } from "./shared/agent-enclosure.ts";

export type ScriptedStep =
  | { readonly say: string }
  /** Files to write, by path in the workspace; null deletes. */
  | { readonly write: Readonly<Record<string, string | null>> }
  | { readonly run: string }
  | { readonly usage: Usage }
  /** `once`: only on the first attempt at the iteration. */
  | {
      readonly fail: string;
      readonly kind?: AgentFailure;
      readonly retryAfterMs?: number;
      readonly once?: boolean;
    }
  /** Reports a refusal and continues. */
  | { readonly refuse: string }
  | { readonly hang: true };

export interface ScriptedOptions {
  /** Steps per iteration; the last list is reused for all later iterations. */
  readonly iterations: readonly (readonly ScriptedStep[])[];
}

interface StepContext {
  readonly request: AgentRequest;
  readonly signal: AbortSignal;
  readonly log: string;
  readonly deadline: number;
  readonly leftBehind: string[];
}

const MESSAGE_CHARS = 8_000;
type Failed = Pick<AgentResult, "failure" | "reason" | "retryAfterMs">;

function resolveInWorkspace(dir: string, name: string): string {
  const inside = pathInside(dir, name);
  if (inside === undefined) throw new Error(`scripted agent: ${name} is outside the workspace`);
  return path.join(dir, inside);
}

function write(dir: string, files: Readonly<Record<string, string | null>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = resolveInWorkspace(dir, name);
    if (content === null) fs.rmSync(file, { recursive: true, force: true });
    else {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, content);
    }
  }
}

const FAILURES: Readonly<Record<ProcessEnd["cause"], AgentFailure>> = {
  exited: "crashed",
  "not-started": "crashed",
  "timed-out": "timed-out",
  idle: "idle",
  cancelled: "cancelled",
};

async function execute(
  command: string,
  { request, signal, log, deadline, leftBehind }: StepContext,
): Promise<Failed | undefined> {
  const end = await runProcess(
    {
      command,
      cwd: request.dir,
      run: request.run,
      base: agentEnvironment(process.env, []),
      ...enclosureFor(request, { reads: [], writes: [] }),
      env: { CONVERGE_ITERATION: String(request.iteration) },
      stdout: log,
      stderr: log,
      timeoutMs: Math.max(1, deadline - performance.now()),
      ...(request.idleMs !== undefined && { idleMs: request.idleMs }),
      grace: { interruptMs: 200, terminateMs: 200 },
    },
    signal,
  );
  leftBehind.push(...end.leftBehind);
  if (end.cause === "exited" && end.exitCode === 0) return undefined;
  const how = end.cause === "exited" ? `exited with ${end.exitCode}` : end.cause;
  return { failure: FAILURES[end.cause], reason: `"${command}" ${how}` };
}

function failOnce(request: AgentRequest, index: number): boolean {
  const marker = path.join(request.files, `failed-${index}`);
  if (fs.existsSync(marker)) return false;
  fs.writeFileSync(marker, "");
  return true;
}

async function perform(step: ScriptedStep, index: number, context: StepContext): Promise<Failed | undefined> {
  if ("say" in step) fs.appendFileSync(context.log, `${secrets.mask(step.say)}\n`, { mode: 0o600 });
  else if ("write" in step) write(context.request.dir, step.write);
  else if ("run" in step) return execute(step.run, context);
  else if ("hang" in step) return execute("sleep 2147483", context);
  else if ("fail" in step) {
    if (step.once && !failOnce(context.request, index)) return undefined;
    const retry = step.retryAfterMs === undefined ? {} : { retryAfterMs: step.retryAfterMs };
    return { failure: step.kind ?? "crashed", reason: step.fail, ...retry };
  }
  return undefined;
}

export function scripted(options: ScriptedOptions): Agent {
  const { iterations } = options;
  return {
    name: "scripted",
    async *run(request, signal): AsyncIterable<AgentEvent> {
      const began = performance.now();
      const log = path.join(request.files, "stdout.log");
      fs.writeFileSync(path.join(request.files, "prompt.md"), request.prompt, { mode: 0o600 });
      const leftBehind: string[] = [];
      const context: StepContext = { request, signal, log, deadline: began + request.timeoutMs, leftBehind };
      const steps = iterations[Math.min(request.iteration, iterations.length) - 1] ?? [];
      const messages: string[] = [];
      const refused: string[] = [];
      let usage: Usage = {};
      let failed: Failed | undefined;
      for (const [index, step] of steps.entries()) {
        if (signal.aborted) failed = { failure: "cancelled", reason: "the scripted agent was stopped" };
        else failed = await perform(step, index, context);
        if (failed) break;
        if ("usage" in step) usage = step.usage;
        if ("refuse" in step) refused.push(step.refuse);
        if (!("say" in step)) continue;
        messages.push(step.say);
        yield { type: "activity", text: `${step.say}\n` };
      }
      const result: AgentResult = {
        ok: failed === undefined,
        ...failed,
        ...(refused.length > 0 && { refused }),
        exitCode: failed ? 1 : 0,
        message: tail(plain(messages.join("\n")).trim(), MESSAGE_CHARS),
        usage,
        durationMs: Math.round(performance.now() - began),
        leftBehind,
      };
      yield { type: "finished", result };
    },
  };
}

const failureOption = z.enum([
  "not-found",
  "crashed",
  "timed-out",
  "idle",
  "rate-limited",
  "context-too-long",
  "blocked",
  "cancelled",
]);

const usageOption = z.strictObject({
  inputTokens: z.number().min(0).optional(),
  outputTokens: z.number().min(0).optional(),
  cachedTokens: z.number().min(0).optional(),
  costUsd: z.number().min(0).optional(),
});

const stepOption = z.union([
  z.strictObject({ say: z.string() }),
  z.strictObject({ write: z.record(z.string(), z.string().nullable()) }),
  z.strictObject({ run: text }),
  z.strictObject({ usage: usageOption }),
  z
    .strictObject({
      fail: text,
      kind: failureOption.optional(),
      retryAfter: durationOrZero.optional(),
      once: z.boolean().optional(),
    })
    .transform(({ retryAfter, ...rest }) => ({ ...rest, retryAfterMs: retryAfter })),
  z.strictObject({ refuse: text }),
  z.strictObject({ hang: z.literal(true) }),
]);

export const scriptedAgent = defineAgent({
  type: "scripted",
  summary: "Performs a list of steps per iteration, for demos and tests.",
  options: z.strictObject({ iterations: z.array(z.array(stepOption)) }),
  helper: (iterations: ScriptedOptions["iterations"]) => ({ type: "scripted" as const, iterations }),
  create: (options) => scripted(options as ScriptedOptions),
});
