// Runs a gate and makes sure that its verdict is about the snapshot: protected files must not change while it runs.
import type { Iteration } from "#spec/run";
import type { GateSpec } from "#spec/task";
import type { Verdict } from "#spec/verdict";
import type { GateWrites } from "#spec/workspace";
import { plain } from "#text/plain-text";
import type { IterationContext } from "./step.ts";

/** Maximum number of paths in a summary. */
const NAMED = 3;

/** A gate that judges an iteration. */
export interface Judging extends IterationContext {
  readonly gate: GateSpec;
  /** Runs the gate. */
  ask(): Promise<Verdict>;
}

export interface JudgedFiles {
  readonly verdict: Verdict;
  /** Protected paths that turned out to be outputs of the gate. */
  readonly outputs: readonly string[];
  /** Reported to a person at once. */
  readonly finding?: string;
}

/** Restores protected files that the gate changed. */
async function restoreChanged({ run, iteration, ports }: Judging): Promise<GateWrites | undefined> {
  const { seal, baseline } = run;
  const { protect } = run.task;
  const base = baseline.snapshot?.tree;
  if (!seal || !base || !protect || protect.action === "allow") return undefined;
  const { paths } = protect;
  const isBaseline = iteration.number === 0;
  const writes = await ports.workspace.checkJudged({ seal, paths, base, isBaseline });
  if (writes.isToBeMended) await ports.workspace.mend(seal, paths);
  return writes;
}

function describe({ changes }: GateWrites, gate: string): string {
  const paths = changes.slice(0, NAMED).map(({ path }) => plain(path));
  const more = changes.length > NAMED ? ` and ${changes.length - NAMED} more` : "";
  return `${paths.join(", ")}${more} changed while gate "${gate}" ran`;
}

/**
 * A gate that writes to protected files at the baseline cannot judge. Later the agent's own program may be the writer,
 * so the agent gets a failure.
 */
function disturbedVerdict({ iteration, gate }: Judging, writes: GateWrites, verdict: Verdict): Verdict {
  const what = describe(writes, gate.name);
  const advice =
    iteration.number === 0
      ? "it is protected, was put back both times, and its verdict does not count. Let the gate leave it alone (for snapshots: --ci), commit what it writes, or take it out of protect"
      : "it is protected, was put back both times, and the verdict does not count: nothing that the gate runs may write to it";
  return {
    status: iteration.number === 0 ? "errored" : "failed",
    score: 0,
    summary: what,
    failures: [{ id: what, message: `${what}: ${advice}` }],
    evidence: verdict.evidence,
    durationMs: verdict.durationMs,
  };
}

/** Retries once when protected files changed while the gate ran; if they change again, the verdict does not count. */
async function judgeUndisturbed(judging: Judging): Promise<JudgedFiles> {
  const first = await judging.ask();
  if (judging.signal.aborted) return { verdict: first, outputs: [] };
  const writes = await restoreChanged(judging);
  const outputs = writes?.outputs ?? [];
  if (!writes || writes.changes.length === 0) return { verdict: first, outputs };
  const second = await judging.ask();
  if (judging.signal.aborted) return { verdict: second, outputs };
  const again = await restoreChanged(judging);
  const all = [...outputs, ...(again?.outputs ?? [])];
  if (again && again.changes.length > 0)
    return { verdict: disturbedVerdict(judging, again, second), outputs: all };
  const note = `judged again, because ${describe(writes, judging.gate.name)}`;
  return { verdict: { ...second, summary: `${second.summary} (${note})` }, outputs: all };
}

/** Where the gate failed on the same tree: at the baseline or in the previous iteration. */
function earlierFailure({ run, iteration, gate, ports }: Judging): string | undefined {
  const { number, snapshot } = iteration;
  const { isDeterministic = false } = ports.gates.get(gate.name) ?? {};
  if (number === 0 || gate.policy.condition === "manual" || !isDeterministic) return undefined;
  const isRedOnSame = (earlier: Iteration | undefined) =>
    earlier?.snapshot?.tree === snapshot?.tree &&
    earlier?.verdicts.findLast((one) => one.gate === gate.name)?.verdict.status === "failed";
  if (isRedOnSame(run.baseline)) return "at the baseline";
  return isRedOnSame(run.iterations[number - 2]) ? `in iteration ${number - 1}` : undefined;
}

function contradiction(
  second: Verdict,
  red: string,
): { readonly verdict: Verdict; readonly finding: string } {
  const finding =
    second.status === "passed"
      ? `passes on the same files that failed ${red}: the gate is flaky, or something outside the snapshot steers it`
      : `passed and then failed on the same files that failed ${red}: the gate is flaky`;
  const advice =
    "Nothing that is captured has changed. Look at ignored files, caches, installed packages and services; a fix has to be a change of the files";
  const { evidence, durationMs } = second;
  const failures = [{ id: finding, message: `${finding}. ${advice}` }, ...second.failures];
  const verdict = { status: "failed" as const, score: 0, summary: finding, failures, evidence, durationMs };
  return { verdict, finding };
}

/** Rejects a pass on a tree that failed before: the gate judges again, and either way the contradiction is reported. */
export async function judgeFiles(judging: Judging): Promise<JudgedFiles> {
  const first = await judgeUndisturbed(judging);
  const red = first.verdict.status === "passed" ? earlierFailure(judging) : undefined;
  if (red === undefined) return first;
  const second = await judgeUndisturbed(judging);
  if (judging.signal.aborted || second.verdict.status === "errored") return second;
  return { ...contradiction(second.verdict, red), outputs: [...first.outputs, ...second.outputs] };
}
