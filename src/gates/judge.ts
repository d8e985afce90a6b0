// Lets a second agent review the change: it gets the task, the diff and a read-only copy, and answers in JSON.
import { randomBytes } from "node:crypto";
import path from "node:path";
import type { Agent, AgentResult, Usage } from "#spec/agent";
import type { Gate, JudgeRequest } from "#spec/gate";
import type { Failure, Verdict } from "#spec/verdict";
import { systemClock } from "#system/clock";
import { removeAll } from "#system/files";
import { secrets } from "#system/secrets/secrets";
import { head, oneLine, plain, tail } from "#text/plain-text";
import { type Answer, EXPECTED, readAnswer } from "./judging/answer.ts";
import { readOnlyCopy } from "./judging/copy.ts";
import { promptFor } from "./judging/prompt.ts";
import { touched, tracesOf } from "./judging/touched.ts";
import { shortVerdict } from "./short-verdict.ts";

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

function spent({ inputTokens, outputTokens, costUsd }: Usage): string {
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

export function judge(name: string, options: JudgeOptions): Gate {
  const { agent, criteria, minScore = 0, timeoutMs = FIFTEEN_MINUTES, diffChars = DIFF_CHARS } = options;

  const ask = async (request: JudgeRequest, dir: string, prompt: string, signal: AbortSignal) => {
    const { run, iteration, files } = request;
    const question = { run: run.id, iteration, prompt, dir, files, timeoutMs, access: "read" as const };
    for await (const event of agent.run(question, signal)) if (event.type === "finished") return event.result;
    throw new Error(`${agent.name} ended without saying how`);
  };

  const concluded = (result: AgentResult, nonce: string, changed: readonly string[]): Verdict => {
    const evidence = {
      command: agent.name,
      exitCode: result.exitCode,
      stdout: tail(plain(result.message), EVIDENCE_CHARS),
    };
    const facts = { evidence, usage: result.usage };
    const unsure = (why: string) =>
      // A retry may get a valid answer.
      shortVerdict("errored", oneLine(why, SUMMARY_CHARS) + spent(result.usage), {
        ...facts,
        mendable: true,
      });
    if (!result.ok)
      return unsure(`the judge ${result.failure ?? "crashed"}: ${result.reason ?? "no reason given"}`);
    if (changed.length > 0) {
      const names = changed.slice(0, NAMES).join(", ");
      return unsure(
        `files in the workspace changed while the judge was at work, and it may only look: ${names}`,
      );
    }
    const answer = readAnswer(result.message, nonce);
    if (!answer) return unsure(`the judge's answer cannot be read: ${EXPECTED}`);
    const { summary, ...found } = verdictFrom(answer, minScore);
    return shortVerdict(found.status, summary + spent(result.usage), { ...found, ...facts });
  };

  return {
    name,
    judge: async (request, signal) => {
      if (signal.aborted) return shortVerdict("errored", "was cut off before it was done");
      const began = systemClock.monotonic();
      const copy = path.join(request.files, "copy");
      const nonce = randomBytes(16).toString("hex");
      try {
        const diff = secrets.mask(await request.diff());
        const task = request.run.task.prompt;
        const verdicts = otherVerdicts(request, name);
        const prompt = promptFor({ task, diff, diffChars, verdicts, nonce, ...(criteria && { criteria }) });
        await readOnlyCopy(copy, request.copy);
        const before = tracesOf(request.dir);
        const result = await ask(request, copy, prompt, signal);
        const verdict = concluded(result, nonce, touched(before, tracesOf(request.dir)));
        return { ...verdict, durationMs: Math.round(systemClock.monotonic() - began) };
      } catch (error) {
        return shortVerdict(
          "errored",
          oneLine(`the judge could not be asked: ${(error as Error).message}`, SUMMARY_CHARS),
        );
      } finally {
        removeAll(copy);
      }
    },
  };
}
