// Port of a gate, which judges a snapshot.
import type { Run } from "./run.ts";
import type { Verdict } from "./verdict.ts";

export interface JudgeRequest {
  readonly run: Run;
  /** 0 is the baseline: the untouched workspace. */
  readonly iteration: number;
  readonly tree: string;
  /** Folder with the files to judge: the workspace, or a copy in a clean room. */
  readonly dir: string;
  /** The whole environment of the gate's processes; without it, they inherit ours. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folder outside the workspace for the full logs of this verdict. */
  readonly files: string;
  /** The run's changes so far, as a diff. */
  diff(): Promise<string>;
  /** Copies the judged files into an empty folder, so that the workspace is not touched. */
  copy(dir: string): Promise<void>;
}

export interface Gate {
  readonly name: string;
  /** Whether the verdict depends on the judged files alone; a person, a model or a service may change its mind. */
  readonly isDeterministic?: boolean;
  /**
   * Never throws for what the gate found. `errored`: the gate cannot judge, whatever the files are, because a tool is
   * missing or set-up failed. That blocks the baseline and pauses a later iteration. What an agent broke is `failed`.
   */
  judge(request: JudgeRequest, signal: AbortSignal): Promise<Verdict>;
}
