// The port for something that judges a snapshot.
import type { Run } from "./run.ts";
import type { Verdict } from "./verdict.ts";

export interface JudgeRequest {
  readonly run: Run;
  /** 0 is the baseline: the untouched workspace. */
  readonly iteration: number;
  readonly tree: string;
  /** The files to judge: the workspace, or a copy in a clean room. */
  readonly dir: string;
  /** The whole environment for what the gate starts; without it, ours is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folder, outside the workspace, for the full logs of this verdict. */
  readonly files: string;
  /** What the run has changed so far, as a diff. */
  diff(): Promise<string>;
  /** Writes the judged files into an empty folder, to look at without touching the workspace. */
  copy(dir: string): Promise<void>;
}

export interface Gate {
  readonly name: string;
  /**
   * Never throws for what the gate found. `errored` means that the gate cannot judge, whatever the files are: a missing
   * tool, a failed set-up. It ends the baseline, and pauses a later iteration. What an agent broke is `failed`.
   */
  judge(request: JudgeRequest, signal: AbortSignal): Promise<Verdict>;
}
