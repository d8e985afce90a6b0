// Asks people for approval: passes with enough approvals, fails on a rejection or a timeout.
import * as z from "zod";
import { duration } from "#options/duration";
import { dropUndefined } from "#options/option";
import { defineGate } from "#options/part";
import { count, names, text } from "#options/values";
import { askedAt, verdictOf } from "#rules/success";
import type { Gate, JudgeRequest } from "#spec/gate";
import type { Iteration } from "#spec/run";
import { failedVerdict, makeVerdict, type Verdict } from "#spec/verdict";
import { systemClock } from "#system/clock";
import { oneLine, plain } from "#text/plain-text";

export interface ApprovalOptions {
  /** Who may answer; anybody when empty. */
  readonly approvers?: readonly string[];
  /** How many approvals are needed. */
  readonly minimum?: number;
  /** The question to ask. */
  readonly message?: string;
  /** Timeout, counted from the first time an iteration's question is asked. */
  readonly timeoutMs?: number;
}

type Answer = Iteration["approvals"][number];

const MESSAGE_CHARS = 500;

const short = (text: string) => oneLine(text, MESSAGE_CHARS);

/** "2h", "1h 30m", "45s" */
function formatSpan(ms: number): string {
  const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
  let left = ms;
  const parts = Object.entries(units).flatMap(([unit, size]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count > 0 ? [`${count}${unit}`] : [];
  });
  return parts.slice(0, 2).join(" ") || `${ms}ms`;
}

function joinNames(names: readonly string[], word: "and" | "or"): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} ${word} ${last}`;
}

/** The latest answer of each approver, ordered by their first answer. */
function answersOf(iteration: Iteration, gate: string, approvers: readonly string[]): Answer[] {
  const answers = iteration.approvals.filter(
    (answer) => answer.gate === gate && (approvers.length === 0 || approvers.includes(answer.by)),
  );
  return [...new Map(answers.map((answer) => [answer.by, answer])).values()];
}

function rejection({ by, message }: Answer): Verdict {
  const summary = `rejected by ${short(by)}`;
  return failedVerdict(summary, message ? `${summary}: ${plain(message)}` : summary);
}

interface Timeout {
  readonly timeoutMs: number;
  readonly now: string;
}

/** Keeps the deadline of an earlier verdict, so that judging again does not extend it. */
function deadline(iteration: Iteration, gate: string, { timeoutMs, now }: Timeout): string {
  const start = askedAt(iteration, gate) ?? now;
  return verdictOf(iteration, gate)?.until ?? new Date(Date.parse(start) + timeoutMs).toISOString();
}

/** Depends only on the run's events, so answers survive a crash and a change of driver. */
export function approval(
  name: string,
  options: ApprovalOptions = {},
  now: () => string = systemClock.now,
): Gate {
  const { approvers = [], minimum = 1, timeoutMs } = options;
  const question = short(options.message ?? "") || "waiting for approval";

  const describeQuestion = (granted: readonly string[]): string => {
    const missing = approvers.filter((one) => !granted.includes(one));
    const who = approvers.length === 0 ? "anybody" : short(joinNames(missing, "or"));
    const by = granted.length > 0 ? ` by ${short(joinNames(granted, "and"))}` : "";
    return `${question} (${granted.length} of ${minimum} approvals${by}; ${who} may approve)`;
  };

  const timeoutVerdict = (granted: readonly string[], ms: number): Verdict =>
    failedVerdict(
      granted.length === 0
        ? `nobody approved within ${formatSpan(ms)}`
        : `only ${granted.length} of ${minimum} approved within ${formatSpan(ms)}: ${short(joinNames(granted, "and"))}`,
    );

  const verdictFor = (iteration: Iteration): Verdict => {
    const answers = answersOf(iteration, name, approvers);
    const no = answers.find(({ type }) => type === "reject");
    if (no) return rejection(no);
    const granted = answers.map(({ by }) => by);
    if (granted.length >= minimum)
      return makeVerdict("passed", `approved by ${short(joinNames(granted, "and"))}`);
    if (timeoutMs === undefined) return makeVerdict("waiting", describeQuestion(granted));
    const until = deadline(iteration, name, { timeoutMs, now: now() });
    return until <= now()
      ? timeoutVerdict(granted, timeoutMs)
      : makeVerdict("waiting", describeQuestion(granted), { until });
  };

  return {
    name,
    judge: async ({ run, iteration: number }: JudgeRequest, signal) => {
      if (signal.aborted) return makeVerdict("errored", "interrupted before it finished");
      const iteration = number === 0 ? undefined : run.iterations.find((one) => one.number === number);
      // Waits instead of skipping: the other gates passing must not end the run before anybody was asked.
      if (!iteration) return makeVerdict("waiting", "approval is requested after the first iteration");
      return verdictFor(iteration);
    },
  };
}

const approvalOptions = z
  .strictObject({
    approvers: names.optional(),
    minimum: count(100).optional(),
    message: text.optional(),
    timeout: duration.optional(),
  })
  .superRefine(({ approvers, minimum = 1 }, context) => {
    const people = new Set(approvers).size;
    if (approvers && minimum > people)
      context.addIssue({
        code: "custom",
        path: [people === 0 ? "approvers" : "minimum"],
        message:
          people === 0
            ? "expected at least one name; omit approvers to let anybody approve"
            : `expected at most ${people}, the number of approvers, got ${minimum}`,
      });
  })
  .transform(({ timeout, ...rest }): ApprovalOptions => dropUndefined({ ...rest, timeoutMs: timeout }));

export const approvalGate = defineGate({
  type: "approval",
  summary: "Waits for people to approve.",
  options: approvalOptions,
  traits: {
    cleanRoom: false,
    approvers: ({ type: _, ...options }) => approvalOptions.safeParse(options).data?.approvers ?? [],
    ignoredPolicies: [
      { key: "repeat", reason: "people are asked once; use minimum to require several approvals" },
      { key: "condition", value: "manual", reason: "the gate already asks a person" },
    ],
  },
  create: (options, { name }) => approval(name, options),
});
