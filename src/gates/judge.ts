// Lets a second agent review the change: it gets the task, the diff and a read-only copy, and answers in JSON.
import { randomBytes } from "node:crypto";
import * as z from "zod";
import { duration } from "#options/duration";
import { dropUndefined } from "#options/option";
import { defineGate } from "#options/part";
import { agentOption, fraction } from "#options/part-options";
import { count, text } from "#options/values";
import type { Agent, AgentResult, Usage } from "#spec/agent";
import type { Gate, JudgeRequest } from "#spec/gate";
import type { Component } from "#spec/task";
import { type Failure, makeVerdict, type Verdict } from "#spec/verdict";
import { systemClock } from "#system/clock";
import { secrets } from "#system/secrets/secrets";
import { head, oneLine, plain, tail } from "#text/plain-text";
import { type Answer, EXPECTED, readAnswer } from "./judging/answer.ts";
import { promptFor } from "./judging/prompt.ts";
import { withReadOnlyCopy } from "./judging/read-only-copy.ts";

export interface JudgeOptions {
  /** The agent that judges. */
  readonly agent: Agent;
  /** Criteria besides the task. */
  readonly criteria?: string;
  /** Minimum score to pass. */
  readonly minScore?: number;
  readonly timeoutMs?: number;
  /** Limit of the diff in the prompt. */
  readonly diffChars?: number;
}

const FIFTEEN_MINUTES = 900_000;
const DIFF_CHARS = 60_000;
const FINDINGS = 20;
const FINDING_CHARS = 1_000;
const EVIDENCE_CHARS = 4_000;
const NAMES = 5;
const SUMMARY_CHARS = 500;
/** The highest score of a judge that does not pass. */
const BEST_OF_FAILED = 0.99;

function describeUsage({ inputTokens, outputTokens, costUsd }: Usage): string {
  const known = inputTokens !== undefined || outputTokens !== undefined;
  const tokens = known ? [`${(inputTokens ?? 0) + (outputTokens ?? 0)} tokens`] : [];
  const cost = costUsd === undefined ? [] : [`$${costUsd.toFixed(2)}`];
  const all = [...tokens, ...cost].join(", ");
  return all && `; the judge used ${all}`;
}

function failuresOf({ findings }: Answer, otherwise: string): Failure[] {
  const shown = findings.slice(0, FINDINGS).map(({ message, location }) => ({
    message: head(plain(message).trim(), FINDING_CHARS) || otherwise,
    ...(location?.trim() && { location: oneLine(location, 200) }),
  }));
  const more = findings.length - shown.length;
  if (more > 0) shown.push({ message: `… and ${more} more findings` });
  return shown.length > 0 ? shown : [{ message: otherwise }];
}

function verdictFrom(
  answer: Answer,
  minScore: number,
): Pick<Verdict, "status" | "score" | "summary" | "failures"> {
  const { verdict, score, findings } = answer;
  const rated = `score ${score.toFixed(2)}`;
  if (verdict === "pass" && score >= minScore)
    return { status: "passed", score: 1, summary: `the judge says pass, ${rated}`, failures: [] };
  const count = `${findings.length} finding${findings.length === 1 ? "" : "s"}`;
  const summary =
    verdict === "pass"
      ? `the judge says pass, but its ${rated} is below ${minScore}`
      : `the judge says fail, ${rated}, ${count}`;
  return {
    status: "failed",
    score: Math.min(score, BEST_OF_FAILED),
    summary,
    failures: failuresOf(answer, summary),
  };
}

/** Verdicts of the other gates in this iteration. */
function otherVerdicts({ run, iteration }: JudgeRequest, own: string): string[] {
  const judged = [run.baseline, ...run.iterations].find(({ number }) => number === iteration);
  return (judged?.verdicts ?? [])
    .filter(({ gate }) => gate !== own)
    .map(({ gate, verdict }) => `${gate}: ${verdict.status}: ${verdict.summary}`);
}

/** A judge asked about the files of one request. */
interface Review {
  readonly gate: string;
  readonly options: JudgeOptions;
  readonly request: JudgeRequest;
  readonly signal: AbortSignal;
}

/** Runs the judge's agent in the copy. */
async function ask({ options, request, signal }: Review, prompt: string, dir: string): Promise<AgentResult> {
  const { agent, timeoutMs = FIFTEEN_MINUTES } = options;
  const { run, iteration, files } = request;
  const question = { run: run.id, iteration, prompt, dir, files, timeoutMs, access: "read" as const };
  for await (const event of agent.run(question, signal)) if (event.type === "finished") return event.result;
  throw new Error(`${agent.name} ended without a result`);
}

/** Why the judge's result does not count; undefined when it does. */
function problemOf({ ok, failure, reason }: AgentResult, changed: readonly string[]): string | undefined {
  if (!ok) return `the judge ${failure ?? "crashed"}: ${reason ?? "no reason given"}`;
  if (changed.length === 0) return undefined;
  const names = changed.slice(0, NAMES).join(", ");
  return `files in the workspace changed while the judge ran, which may only read them: ${names}`;
}

async function review(context: Review): Promise<Verdict> {
  const { gate, options, request } = context;
  const { agent, criteria, minScore = 0, diffChars = DIFF_CHARS } = options;
  const nonce = randomBytes(16).toString("hex");
  const diff = secrets.mask(await request.diff());
  const task = request.run.task.prompt;
  const verdicts = otherVerdicts(request, gate);
  const prompt = promptFor({ task, diff, diffChars, verdicts, nonce, ...(criteria && { criteria }) });
  const { result, changed } = await withReadOnlyCopy(request, (dir) => ask(context, prompt, dir));
  const stdout = tail(plain(result.message), EVIDENCE_CHARS);
  const facts = {
    evidence: { command: agent.name, exitCode: result.exitCode, stdout },
    usage: result.usage,
  };
  const problem = problemOf(result, changed);
  const answer = readAnswer(result.message, nonce);
  if (problem !== undefined || !answer) {
    const summary = problem ?? `the judge's answer is invalid: ${EXPECTED}`;
    // A retry may get a valid answer.
    const details = { ...facts, mendable: true as const };
    return makeVerdict("errored", oneLine(summary, SUMMARY_CHARS) + describeUsage(result.usage), details);
  }
  const { status, summary, ...rest } = verdictFrom(answer, minScore);
  return makeVerdict(status, summary + describeUsage(result.usage), { ...rest, ...facts });
}

export function judge(name: string, options: JudgeOptions): Gate {
  return {
    name,
    judge: async (request, signal) => {
      if (signal.aborted) return makeVerdict("errored", "interrupted before it finished");
      const began = systemClock.monotonic();
      try {
        const verdict = await review({ gate: name, options, request, signal });
        return { ...verdict, durationMs: Math.round(systemClock.monotonic() - began) };
      } catch (error) {
        const summary = `the judge could not run: ${(error as Error).message}`;
        return makeVerdict("errored", oneLine(summary, SUMMARY_CHARS));
      }
    },
  };
}

export const judgeGate = defineGate({
  type: "judge",
  summary: "Lets a second agent review the change.",
  options: z.strictObject({
    agent: agentOption,
    criteria: text.optional(),
    minScore: fraction.optional(),
    timeout: duration.optional(),
    diffChars: count(1_000_000).optional(),
  }),
  // The judge reads a copy of its own, and its agent needs the user's credentials.
  traits: { cleanRoom: false },
  helper: (
    agent: string | Component,
    options: {
      readonly criteria?: string;
      readonly minScore?: number;
      readonly timeout?: string | number;
      readonly diffChars?: number;
    } = {},
  ) => ({ type: "judge" as const, agent, ...options }),
  create: async ({ agent, timeout, ...options }, context) =>
    judge(context.name, {
      agent: await context.agent(agent),
      ...dropUndefined({ ...options, timeoutMs: timeout }),
    }),
});
