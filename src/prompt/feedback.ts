// What the next iteration is told about the last one: bounded, and quoted so that no output can pose as an instruction.
import { holds, promised } from "#spec/holds";
import type { Iteration, Run } from "#spec/run";
import type { GateSpec, Task } from "#spec/task";
import { head, plain, quoted, tail } from "#spec/text";
import type { Failure, Verdict } from "#spec/verdict";
import { render } from "./template.ts";

type Bounds = Task["feedback"];

function describe(failure: Failure): string {
  const where = failure.location ? ` (${failure.location})` : "";
  const compared =
    failure.expected !== undefined && failure.actual !== undefined
      ? `\nexpected: ${failure.expected}\nactual: ${failure.actual}`
      : "";
  const title = failure.id ? `${failure.id}${where}: ` : "";
  return `${title}${failure.message}${failure.id ? "" : where}${compared}`;
}

/** A test says first what is wrong with it; plain output says it last. */
function bounded(failure: Failure, chars: number): string {
  const cut = failure.id === undefined ? tail : head;
  return cut(plain(describe(failure)), chars);
}

function failureText(verdict: Verdict, bounds: Bounds): string {
  const listed = verdict.failures.slice(0, bounds.failures).map((failure) => bounded(failure, bounds.chars));
  const more = verdict.failures.length - listed.length;
  return [...listed, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
}

/** The end of what the gate printed: where the error is when nothing recognised it. */
function outputText({ evidence }: Verdict, bounds: Bounds): string {
  const parts = [evidence.stdout, evidence.stderr].filter((part): part is string => Boolean(part?.trim()));
  return parts.map((part) => tail(plain(part).trim(), bounds.chars)).join("\n");
}

function gateFeedback(spec: GateSpec, verdict: Verdict, bounds: Bounds): string {
  const { feedback } = spec.policy.onFailure;
  if (feedback === "none") return "";
  const failures = quoted(failureText(verdict, bounds) || outputText(verdict, bounds) || "(no output)");
  const summary = plain(verdict.summary);
  if (feedback !== "auto")
    return render(feedback.template, {
      gate: spec.name,
      summary,
      failures,
      output: quoted(outputText(verdict, bounds)),
    });
  return `Gate "${spec.name}" ${verdict.status}: ${summary}\n${failures}`;
}

function gatesFeedback(run: Run, iteration: Iteration): string[] {
  return run.task.gates.flatMap((spec) => {
    const verdict = iteration.verdicts.find((one) => one.gate === spec.name)?.verdict;
    const red = verdict?.status === "failed" || verdict?.status === "errored";
    return verdict && red ? [gateFeedback(spec, verdict, run.task.feedback)] : [];
  });
}

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

/** Where gates are red they say what is wrong; else the promise is all that is missing. */
function promiseFeedback(run: Run, last: Iteration): string[] {
  const { requirePromise, promise, gates } = run.task;
  if (!requirePromise || !last.agent?.ok || promised(run, last)) return [];
  if (gates.length > 0 && !holds(run, last)) return [];
  return [
    `You stopped, and did not say that the task is done. If it is, say so with <promise>${promise}</promise>; if it is not, go on with it.`,
  ];
}

/** Feedback for the iteration that comes next; what people said is never cut away. */
export function feedbackFor(run: Run): string {
  const last = run.iterations.at(-1) ?? run.baseline;
  const decided = last.decision?.feedback ?? "";
  const [person, strategy] = last.direction ? [decided, ""] : ["", decided];
  const found = [
    strategy,
    ...agentFeedback(last, run.task.feedback),
    ...tamperingFeedback(last, run.task.feedback),
    ...promiseFeedback(run, last),
    ...gatesFeedback(run, last),
  ]
    .filter(Boolean)
    .join("\n\n");
  return [...run.steering, person, head(found, run.task.feedback.total)].filter(Boolean).join("\n\n");
}
