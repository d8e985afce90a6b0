// Lets a gate judge, and makes sure that its verdict speaks of the files: protected ones stay what they were meanwhile.
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";
import { plain } from "#spec/text";
import type { Verdict } from "#spec/verdict";
import type { GateWrites } from "#spec/workspace";

/** Paths that a summary has space for. */
const NAMED = 3;

export interface Judging {
  readonly run: Run;
  readonly iteration: Iteration;
  readonly gate: string;
  readonly ports: Ports;
  readonly signal: AbortSignal;
  /** Runs the gate. */
  ask(): Promise<Verdict>;
}

export interface JudgedFiles {
  readonly verdict: Verdict;
  /** Protected files that turned out to be the gate's to write. */
  readonly outputs: readonly string[];
}

/** Puts back what the gate changed and may not. */
async function settleProtected({ run, iteration, ports }: Judging): Promise<GateWrites | undefined> {
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
 * A gate that writes to protected files on the untouched base cannot judge. Later on the agent's own program may be what
 * writes, so the agent hears of it.
 */
function disturbed({ iteration, gate }: Judging, writes: GateWrites, verdict: Verdict): Verdict {
  const what = describe(writes, gate);
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

/** Judges a second time when protected files changed meanwhile; when they change again, the gate has no verdict. */
export async function judgeFiles(judging: Judging): Promise<JudgedFiles> {
  const first = await judging.ask();
  if (judging.signal.aborted) return { verdict: first, outputs: [] };
  const writes = await settleProtected(judging);
  const outputs = writes?.outputs ?? [];
  if (!writes || writes.changes.length === 0) return { verdict: first, outputs };
  const second = await judging.ask();
  if (judging.signal.aborted) return { verdict: second, outputs };
  const again = await settleProtected(judging);
  const all = [...outputs, ...(again?.outputs ?? [])];
  if (again && again.changes.length > 0) return { verdict: disturbed(judging, again, second), outputs: all };
  const note = `judged again, because ${describe(writes, judging.gate)}`;
  return { verdict: { ...second, summary: `${second.summary} (${note})` }, outputs: all };
}
