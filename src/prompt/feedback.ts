// Feedback on the last iteration for the next prompt. Bounded, and quoted against prompt injection from tool output.
import { describeRed, falseClaim } from "#rules/claim";
import { hasPromise, isSuccess } from "#rules/success";
import type { Iteration, Run } from "#spec/run";
import type { Task } from "#spec/task";
import { head, oneLine, plain, quoted } from "#text/plain-text";
import { allNames, failuresText, gateFeedback, isNamed, type RedGate, redGatesOf } from "./gate-feedback.ts";

type Bounds = Task["feedback"];

const CLAIM_CHARS = 200;

function agentFeedback({ agent }: Iteration, bounds: Bounds): string[] {
  const failed =
    agent && !agent.ok
      ? [`The last agent run failed (${agent.failure}):\n${quoted(agent.reason ?? "no reason given")}`]
      : [];
  const refused = (agent?.refused ?? []).slice(0, bounds.failures).map((text) => head(text, bounds.chars));
  if (refused.length === 0) return failed;
  return [
    ...failed,
    `These were not allowed, and nobody will allow them; do without:\n${quoted(refused.join("\n"))}`,
  ];
}

function tamperingFeedback({ tampering }: Iteration, bounds: Bounds): string[] {
  if (tampering?.action !== "restore") return [];
  const { changes } = tampering;
  const listed = changes.slice(0, bounds.failures).map(({ path, kind }) => `${plain(path)} (${kind})`);
  const more = changes.length - listed.length;
  const paths = [...listed, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
  return [
    `These are protected, because the work is judged by them. Your changes to them were undone; change the code instead:\n${quoted(paths)}`,
  ];
}

/** Asks for the missing promise, unless red gates already say what is wrong. */
function promiseFeedback(run: Run, last: Iteration): string[] {
  const { requirePromise, promise, gates } = run.task;
  if (!requirePromise || !last.agent?.ok || hasPromise(run, last)) return [];
  if (gates.length > 0 && !isSuccess(run, last)) return [];
  return [
    `You stopped, and did not say that the task is done. If it is, say so with <promise>${promise}</promise>; if it is not, go on with it.`,
  ];
}

// Quotes the claim inside a sentence: a signal on its own line of the prompt would count as an echo from then on.
function claimFeedback(run: Run, last: Iteration): string[] {
  const claim = falseClaim(run, last);
  if (claim === undefined) return [];
  const red = describeRed(run, last, ({ policy }) => policy.onFailure.feedback !== "none");
  const proof = red === "" ? "that is not proven" : `these gates do not pass: ${red}`;
  return [
    `You said "${oneLine(claim, CLAIM_CHARS)}", but ${proof}. The gates decide, not the claim. Go on until they pass.`,
  ];
}

interface Feedback {
  /** Text from people, which is never truncated. */
  readonly people: readonly string[];
  /** All other feedback, before truncation. */
  readonly details: string;
  readonly red: readonly RedGate[];
}

function collectFeedback(run: Run): Feedback {
  const last = run.iterations.at(-1) ?? run.baseline;
  const bounds = run.task.feedback;
  const decided = last.decision?.feedback ?? "";
  const [person, strategy] = last.direction ? [decided, ""] : ["", decided];
  const red = redGatesOf(run, last);
  const details = [
    strategy,
    ...agentFeedback(last, bounds),
    ...tamperingFeedback(last, bounds),
    ...claimFeedback(run, last),
    ...promiseFeedback(run, last),
    ...red.map((gate) => gateFeedback(run, last, gate)),
  ];
  return { people: [...run.steering, person], details: details.filter(Boolean).join("\n\n"), red };
}

/** Whether the bounds cut details of failing tests. */
function hasMore({ details, red }: Feedback, { failures, total }: Bounds): boolean {
  if (!red.some(isNamed)) return false;
  return details.length > total || red.some(({ verdict }) => verdict.failures.length > failures);
}

/** All failures, for a file next to the prompt; undefined if they fit into the prompt. */
export function feedbackFile(run: Run): string | undefined {
  const feedback = collectFeedback(run);
  return hasMore(feedback, run.task.feedback) ? failuresText(feedback.red) : undefined;
}

/** Feedback for the next iteration. `file` is the path of `feedbackFile`'s text. */
export function feedbackFor(run: Run, file?: string): string {
  const bounds = run.task.feedback;
  const feedback = collectFeedback(run);
  const names = hasMore(feedback, bounds) ? allNames(feedback.red, file) : "";
  return [...feedback.people, head(feedback.details, bounds.total), names].filter(Boolean).join("\n\n");
}
