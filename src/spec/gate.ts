// The port for something that judges a snapshot.
import type { Run } from "./run.ts";
import type { Verdict } from "./verdict.ts";

export interface JudgeRequest {
  readonly run: Run;
  /** 0 is the baseline: the untouched workspace. */
  readonly iteration: number;
  readonly tree: string;
  readonly dir: string;
  /** Folder, outside the workspace, for the full logs of this verdict. */
  readonly files: string;
}

export interface Gate {
  readonly name: string;
  /** Never throws for what the gate found. A missing tool, a timeout, a crash is `errored`; nothing to run is not a pass. */
  judge(request: JudgeRequest, signal: AbortSignal): Promise<Verdict>;
}
