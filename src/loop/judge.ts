// The step that lets one gate judge an iteration.
import type { EventBody } from "#spec/event";
import type { JudgeRequest } from "#spec/gate";
import type { Ports } from "#spec/ports";
import type { Run } from "#spec/run";
import type { Verdict } from "#spec/verdict";
import { pauseReason } from "./errored-gates.ts";
import { type JudgedFiles, type Judging, judgeFiles } from "./judge-files.ts";
import { timeIsUp, timeReason } from "./limits.ts";
import { gateBackoffMs, gateToJudge, isLastGate, isOver, verdictWithoutJudging } from "./policy.ts";
import { iterationOf } from "./standing.ts";
import { type IterationContext, type Step, sleepUndisturbed, withTimeLimit } from "./step.ts";
import { end } from "./steps.ts";

function requestFor({ run, iteration, ports }: IterationContext, gate: string): JudgeRequest {
  const { number, snapshot } = iteration;
  const { workspace } = ports;
  const tree = snapshot?.tree ?? "";
  return {
    run,
    iteration: number,
    tree,
    dir: workspace.dir,
    files: ports.filesFor(number, gate),
    diff: () => workspace.diff(run.baseline.snapshot?.tree ?? tree, tree),
    copy: (dir) => workspace.copy(tree, dir),
  };
}

/** Drops a waiting verdict's deadline that has passed; otherwise the gate would be asked in an endless loop. */
function dropPastDeadline(verdict: Verdict, ports: Ports): Verdict {
  if (!isOver(verdict.until, ports.now())) return verdict;
  const { until: _over, ...rest } = verdict;
  return rest;
}

const judged = (iteration: number, gate: string, verdict: Verdict): EventBody => ({
  type: "gate.judged",
  iteration,
  gate,
  verdict,
});

function treesOf(run: Run): string[] {
  const all = [run.baseline, ...run.iterations];
  const trees = all.flatMap(({ snapshot, from, tampering }) => [snapshot?.tree, from, tampering?.tree]);
  return [...trees, run.tree].filter((tree) => tree !== undefined);
}

/**
 * Excludes untracked files that gates wrote from snapshots: they are not the agent's work. Runs before the last verdict
 * of an iteration is recorded, so that a kill in between loses nothing.
 */
async function* excludeOutputs(
  { run, iteration: { number }, ports }: IterationContext,
  besides: readonly string[],
): AsyncGenerator<EventBody> {
  const request = { isBaseline: number === 0, trees: treesOf(run), besides };
  const { paths, trees } = await ports.workspace.findOutputs(request);
  if (paths.length > 0) yield { type: "outputs.seen", iteration: number, paths, trees };
}

/** Records the verdict, the gate's outputs and its finding. */
async function* record(
  judging: Judging,
  { verdict, outputs, finding }: JudgedFiles,
): AsyncGenerator<EventBody> {
  const { run, iteration, gate } = judging;
  const { number } = iteration;
  const { name } = gate;
  if (outputs.length > 0 || isLastGate(run, iteration, name)) yield* excludeOutputs(judging, outputs);
  yield judged(number, name, verdict);
  if (finding !== undefined) yield { type: "gate.escalated", iteration: number, gate: name, reason: finding };
}

export function judge(number: number): Step {
  return async function* (step) {
    const { run, ports, signal } = step;
    const iteration = iterationOf(run, number);
    const context = { ...step, iteration };
    const spec = gateToJudge(run, iteration, ports.now());
    const gate = spec && ports.gates.get(spec.name);
    if (!spec || !gate) throw new Error(`run ${run.id} has no gate ${spec?.name}`);
    const settled = verdictWithoutJudging(run, iteration, spec);
    if (settled) return yield judged(number, spec.name, settled);
    const isReady = number === 0 || (await sleepUndisturbed(gateBackoffMs(run, spec), step));
    if (!isReady && !timeIsUp(run, ports.elapsed())) return;
    const limited = withTimeLimit(step);
    const ask = async () =>
      dropPastDeadline(await gate.judge(requestFor(context, spec.name), limited), ports);
    const judging = { ...context, signal: limited, gate: spec, ask };
    const result = await judgeFiles(judging);
    if (signal.aborted) return;
    // A timeout says nothing about the files: with more time, the gate judges again.
    if (limited.aborted && result.verdict.status === "errored")
      return yield* end("diverged", timeReason(run))(step);
    const reason = number > 0 ? pauseReason(run, spec, result.verdict) : undefined;
    if (reason !== undefined) return yield { type: "run.paused", reason };
    yield* record(judging, result);
  };
}
