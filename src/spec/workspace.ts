// The port for where the agent works.
import type { Deliver, Protection } from "./task.ts";

export interface FileChange {
  readonly path: string;
  readonly kind: "added" | "changed" | "deleted";
}

export interface Snapshot {
  /** Git tree id of the workspace. */
  readonly tree: string;
  /** Against the snapshot before; the list is bounded, the count is not. */
  readonly changes: readonly FileChange[];
  readonly changeCount: number;
  /** Lines added and removed against the snapshot before; a binary file counts as one. */
  readonly changedLines?: number;
  /** Lines added and removed against the base of the run, counted in the same way. */
  readonly linesFromBase?: number;
  /** What could not be captured (nested repositories, unreadable files), each with the reason. */
  readonly omitted: readonly string[];
}

/** Protected files that are not as they were sealed. */
export interface Tampering {
  /** A protected value is named `file#key.key`. */
  readonly changes: readonly FileChange[];
  /** Bounded. */
  readonly diff: string;
}

export interface OutputsRequest {
  /** The gates judged the untouched files: what they wrote is nobody else's doing. */
  readonly isBaseline: boolean;
  /** Trees of the run, which are to be told without what is found. */
  readonly trees: readonly string[];
  /** Paths that are known to be outputs already. */
  readonly besides: readonly string[];
}

/** What gates wrote: no part of the work. */
export interface Outputs {
  /** Files, and folders as `dir/`; bounded. */
  readonly paths: readonly string[];
  /** Of the trees, those that had some of these files, each with the tree that has not. */
  readonly trees: Readonly<Record<string, string>>;
}

export interface IndexCheck {
  /** Names the index entries of the start. */
  readonly index: string;
  readonly seal: string;
  readonly paths: readonly Protection[];
  /** Protected files that were found changed on disk. */
  readonly changes: readonly FileChange[];
  /** The commit that was checked out at the start. */
  readonly head?: string;
}

/** What the agent did to protected files in the user's repository. */
export interface Staged {
  /** Files whose index entry was not what it had been. */
  readonly changes: readonly FileChange[];
  /** A commit of the agent's that has a change of a protected file. */
  readonly commit?: string;
  /** Why the entries could not be put back. */
  readonly problem?: string;
}

export interface JudgedRequest {
  readonly seal: string;
  readonly paths: readonly Protection[];
  /** The tree of the untouched files. */
  readonly base: string;
  readonly isBaseline: boolean;
}

/** Protected files that changed while a gate ran. */
export interface GateWrites {
  /** These void its verdict. */
  readonly changes: readonly FileChange[];
  /** These are the gate's to write; only at the baseline. */
  readonly outputs: readonly string[];
  /** Something is to be put back. */
  readonly isToBeMended: boolean;
}

export interface DeliveryRequest {
  readonly run: string;
  readonly how: Deliver;
  /** What the run started from, and what it leaves. */
  readonly base: string;
  readonly tree: string;
  /** The user's own folder: not the workspace when that is a worktree. */
  readonly repository: string;
  /** That folder is a clone of ours, which may be thrown away: what is delivered has to be pushed. */
  readonly isClone?: true;
  /** The commit that was checked out when the run started. */
  readonly head?: string;
  /** Commit message or title, unless the task has one. */
  readonly message: string;
  /** More words for a commit or a pull request. */
  readonly body: string;
  /** Folder, outside the workspace, for a patch and for logs. */
  readonly files: string;
}

export interface Delivered {
  readonly type: Deliver["type"];
  /** The tree that was delivered: the one that was judged. */
  readonly tree: string;
  readonly commit?: string;
  readonly branch?: string;
  readonly file?: string;
  readonly url?: string;
  /** Why it could not be delivered as asked, where the work is instead, and what to do. */
  readonly problem?: string;
}

export interface Workspace {
  readonly dir: string;
  /** Captures the files as they are; `since` is the tree that the changes are counted against, `base` that of the run. */
  snapshot(since?: string, base?: string): Promise<Snapshot>;
  diff(from: string, to: string): Promise<string>;
  /** Makes the files equal to the tree. What was there is captured first and returned. */
  restore(tree: string): Promise<Snapshot>;
  /** Keeps what is protected as it is now, and names what it kept. Looks at the bytes on disk, not at what git says. */
  seal(paths: readonly Protection[]): Promise<string>;
  /** What is protected and no longer as it was sealed, in the workspace or in a copy of it. */
  tampering(seal: string, paths: readonly Protection[], dir?: string): Promise<Tampering | undefined>;
  /** Puts back what was sealed, in the workspace or in a copy of it; the rest is left alone. */
  mend(seal: string, paths: readonly Protection[], dir?: string): Promise<void>;
  /** Keeps the user's index entries of what is protected, and names them; undefined without a repository. */
  keepIndex(paths: readonly Protection[]): Promise<string | undefined>;
  /** Puts the index entries of protected files back to what they were; all others stay. Tells what it found. */
  unstage(check: IndexCheck): Promise<Staged>;
  /**
   * Finds untracked files that gates wrote since the last snapshot, and leaves them out of snapshots from now on. Those
   * of the baseline are not protected either.
   */
  findOutputs(request: OutputsRequest): Promise<Outputs>;
  /** Captures those of the outputs again that the agent has changed since they were last looked for, and names them. */
  reclaimOutputs(): Promise<readonly string[]>;
  /** Looks at what is protected after a gate has judged, and reads only files that the file system calls changed. */
  checkJudged(request: JudgedRequest): Promise<GateWrites>;
  /** Writes the tree into an empty folder. */
  copy(tree: string, dir: string): Promise<void>;
  /** Hands the tree over as asked. Never forces anything; what stands in the way is told in `problem`. */
  deliver(request: DeliveryRequest, signal: AbortSignal): Promise<Delivered>;
  close(): Promise<void>;
}
