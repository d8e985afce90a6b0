import { progressOf } from "#loop/progress";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import { mirrorInto } from "#system/files";
import { normaliseInside } from "#system/inside";

/** The `stateDir` of the ralph strategy, when it is inside the workspace. */
export function stateDirOf(task: Task): string | undefined {
  const { stateDir } = task.strategy;
  if (typeof stateDir !== "string") return undefined;
  return normaliseInside(stateDir);
}

function stateOf(run: Run): unknown {
  const { id, state, ended, iterations, startedAt, updatedAt, elapsedMs } = run;
  const last = iterations.at(-1);
  return {
    run: id,
    state,
    outcome: ended?.outcome ?? null,
    reason: ended?.reason ?? last?.decision?.reason ?? null,
    iteration: iterations.length,
    maxIterations: run.task.limits.iterations,
    startedAt,
    updatedAt,
    elapsedMs,
    lastDecision: last?.decision ?? null,
  };
}

function metricsOf(run: Run): unknown {
  const perIteration = run.iterations.map(({ number, score, agent, snapshot, verdicts }) => ({
    iteration: number,
    score: score ?? null,
    tree: snapshot?.tree ?? null,
    filesChanged: snapshot?.changeCount ?? null,
    agent: agent && { ok: agent.ok, durationMs: agent.durationMs, usage: agent.usage },
    gates: verdicts.map(({ gate, verdict }) => ({
      gate,
      status: verdict.status,
      score: verdict.score,
      tests: verdict.tests,
    })),
  }));
  return { run: run.id, progress: progressOf(run), iterations: perIteration };
}

/** Writes both files. Returns why it failed, or undefined. */
function writeCopy(run: Run, dir: string): string | undefined {
  try {
    const folder = { root: run.dir, dir };
    const written = [
      mirrorInto(folder, "loop-state.json", `${JSON.stringify(stateOf(run), null, 2)}\n`),
      mirrorInto(folder, "metrics.json", `${JSON.stringify(metricsOf(run), null, 2)}\n`),
    ];
    return written.includes(false)
      ? `stateDir ${dir} is outside the workspace, so no state copy was written`
      : undefined;
  } catch (error) {
    return `cannot write the state copy to ${dir}: ${(error as Error).message}`;
  }
}

/** Returns a function to call after every event; it warns once about each problem. */
export function stateCopy(warn: (text: string) => void): (run: Run) => void {
  const warned = new Set<string>();
  return (run) => {
    const dir = stateDirOf(run.task);
    const problem = dir && writeCopy(run, dir);
    if (!problem || warned.has(problem)) return;
    warned.add(problem);
    warn(problem);
  };
}
