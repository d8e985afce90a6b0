// The step that lets one gate judge an iteration.
import type { EventBody } from "#spec/event";
import type { JudgeRequest } from "#spec/gate";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";
import type { Verdict } from "#spec/verdict";
import { pauseReason } from "./cannot-judge.ts";
import { type JudgedFiles, type Judging, judgeFiles } from "./judge-files.ts";
import { timeIsUp, timeReason } from "./limits.ts";
import { seeOutputs } from "./outputs.ts";
import { gateBackoffMs, gateToJudge, isLastGate, isOver, verdictWithoutJudging } from "./policy.ts";
import { iterationOf } from "./standing.ts";
import { end, type Step, waited, withinTime } from "./steps.ts";

function requestFor(run: Run, { number, snapshot }: Iteration, gate: string, ports: Ports): JudgeRequest {
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

/** Records the verdict, the gate's outputs and its finding. */
async function* record(
  { run, iteration, gate: { name }, ports }: Judging,
  { verdict, outputs, finding }: JudgedFiles,
): AsyncGenerator<EventBody> {
  const { number } = iteration;
  if (outputs.length > 0 || isLastGate(run, iteration, name))
    yield* seeOutputs(run, iteration, outputs, ports);
  yield judged(number, name, verdict);
  if (finding !== undefined) yield { type: "gate.escalated", iteration: number, gate: name, reason: finding };
}

export function judge(number: number): Step {
  return async function* (run, ports, signal) {
    const iteration = iterationOf(run, number);
    const spec = gateToJudge(run, iteration, ports.now());
    const gate = spec && ports.gates.get(spec.name);
    if (!spec || !gate) throw new Error(`run ${run.id} has no gate ${spec?.name}`);
    const settled = verdictWithoutJudging(run, iteration, spec);
    if (settled) return yield judged(number, spec.name, settled);
    const isReady = number === 0 || (await waited(gateBackoffMs(run, spec), run, ports, signal));
    if (!isReady && !timeIsUp(run, ports.elapsed())) return;
    const limited = withinTime(run, ports, signal);
    const ask = async () =>
      dropPastDeadline(await gate.judge(requestFor(run, iteration, spec.name, ports), limited), ports);
    const judging = { run, iteration, gate: spec, ports, signal: limited, ask };
    const result = await judgeFiles(judging);
    if (signal.aborted) return;
    // A timeout says nothing about the files: with more time, the gate judges again.
    if (limited.aborted && result.verdict.status === "errored")
      return yield* end("diverged", timeReason(run))(run, ports, signal);
    const reason = number > 0 ? pauseReason(run, spec, result.verdict) : undefined;
    if (reason !== undefined) return yield { type: "run.paused", reason };
    yield* record(judging, result);
  };
}
