// A copy of the run's state inside the workspace, for other tools that look there. Never read back.
import path from "node:path";
import { progressOf } from "#loop/progress";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import { mirrorInto } from "#system/files";

/** The folder that the ralph strategy's `stateDir` names, when it lies inside the workspace. */
export function stateDirOf(task: Task): string | undefined {
  const { stateDir } = task.strategy;
  if (typeof stateDir !== "string") return undefined;
  const inside = path.normalize(stateDir).replace(/\/+$/, "");
  return path.isAbsolute(inside) || inside.startsWith("..") || inside === "." ? undefined : inside;
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

/** Why nothing could be mirrored; undefined when it was. */
function trouble(run: Run, dir: string): string | undefined {
  try {
    const written = [
      mirrorInto(run.dir, dir, "loop-state.json", `${JSON.stringify(stateOf(run), null, 2)}\n`),
      mirrorInto(run.dir, dir, "metrics.json", `${JSON.stringify(metricsOf(run), null, 2)}\n`),
    ];
    return written.includes(false)
      ? `stateDir ${dir} leads out of the workspace; nothing was mirrored`
      : undefined;
  } catch (error) {
    return `could not mirror the state into ${dir}: ${(error as Error).message}`;
  }
}

/** Called after every event; says each trouble once. */
export function stateMirror(warn: (text: string) => void): (run: Run) => void {
  const said = new Set<string>();
  return (run) => {
    const dir = stateDirOf(run.task);
    const text = dir && trouble(run, dir);
    if (!text || said.has(text)) return;
    said.add(text);
    warn(text);
  };
}
