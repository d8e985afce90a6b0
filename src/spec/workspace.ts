// Port of a workspace, where the agent works.
import type { Deliver, Protection } from "./task.ts";

export interface FileChange {
  readonly path: string;
  readonly kind: "added" | "changed" | "deleted";
}

export interface Snapshot {
  /** Git tree id of the workspace. */
  readonly tree: string;
  /** Changes since the previous snapshot; the list is bounded, the count is not. */
  readonly changes: readonly FileChange[];
  readonly changeCount: number;
  /** Lines added and removed since the previous snapshot; a binary file counts as one. */
  readonly changedLines?: number;
  /** Lines added and removed since the base of the run, counted the same way. */
  readonly linesFromBase?: number;
  /** What could not be captured (nested repositories, unreadable files), with reasons. */
  readonly omitted: readonly string[];
}

/** Protected files that differ from the seal. */
export interface Tampering {
  /** A protected value is named `file#key.key`. */
  readonly changes: readonly FileChange[];
  /** Bounded. */
  readonly diff: string;
}

export interface OutputsRequest {
  /** Whether the gates judged the untouched files, so that nobody else wrote the outputs. */
  readonly isBaseline: boolean;
  /** Trees of the run, to be rewritten without the outputs. */
  readonly trees: readonly string[];
  /** Known outputs. */
  readonly besides: readonly string[];
}

/** Files that gates wrote, which are not part of the work. */
export interface Outputs {
  /** Files, and folders as `dir/`; bounded. */
  readonly paths: readonly string[];
  /** Trees with some of these files, each mapped to the tree without them. */
  readonly trees: Readonly<Record<string, string>>;
}

export interface IndexCheck {
  /** Id of the index entries at the start. */
  readonly index: string;
  readonly seal: string;
  readonly paths: readonly Protection[];
  /** Protected files with changes on disk. */
  readonly changes: readonly FileChange[];
  /** The commit that was checked out at the start. */
  readonly head?: string;
}

/** The agent's changes to protected files in the user's git repository. */
export interface Staged {
  /** Files whose index entry was changed. */
  readonly changes: readonly FileChange[];
  /** A commit of the agent that changes a protected file. */
  readonly commit?: string;
  /** Why the entries could not be restored. */
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
  /** Changes that void the verdict. */
  readonly changes: readonly FileChange[];
  /** Files that the gate may write; only at the baseline. */
  readonly outputs: readonly string[];
  /** Whether something must be restored. */
  readonly isToBeMended: boolean;
}

export interface DeliveryRequest {
  readonly run: string;
  readonly how: Deliver;
  /** The tree at the start of the run, and the one to deliver. */
  readonly base: string;
  readonly tree: string;
  /** The user's folder, which differs from the workspace when that is a worktree. */
  readonly repository: string;
  /** Whether that folder is our own clone, which may be deleted: the delivery must be pushed. */
  readonly isClone?: true;
  /** The commit that was checked out when the run started. */
  readonly head?: string;
  /** Commit message or title, unless the task has one. */
  readonly message: string;
  /** Additional text for the commit or pull request. */
  readonly body: string;
  /** Folder outside the workspace for patch and logs. */
  readonly files: string;
}

export interface Delivered {
  readonly type: Deliver["type"];
  /** The delivered tree, which is the judged one. */
  readonly tree: string;
  readonly commit?: string;
  readonly branch?: string;
  readonly file?: string;
  readonly url?: string;
  /** Why the delivery failed, where the work is instead, and what to do. */
  readonly problem?: string;
}

export interface Workspace {
  readonly dir: string;
  /** Captures the current files; changes are counted against the tree `since`, and against the run's `base`. */
  snapshot(since?: string, base?: string): Promise<Snapshot>;
  diff(from: string, to: string): Promise<string>;
  /** Makes the files equal to the tree. Captures the current files first and returns that snapshot. */
  restore(tree: string): Promise<Snapshot>;
  /** Stores the protected files and returns an id. Reads the bytes on disk, not git's view. */
  seal(paths: readonly Protection[]): Promise<string>;
  /** Protected files that differ from the seal, in the workspace or in a copy. */
  tampering(seal: string, paths: readonly Protection[], dir?: string): Promise<Tampering | undefined>;
  /** Restores protected files from the seal, in the workspace or in a copy; leaves the rest alone. */
  mend(seal: string, paths: readonly Protection[], dir?: string): Promise<void>;
  /** Stores the user's git index entries of protected files and returns an id; undefined without a repository. */
  keepIndex(paths: readonly Protection[]): Promise<string | undefined>;
  /** Restores the git index entries of protected files, leaves all others, and returns what it found. */
  unstage(check: IndexCheck): Promise<Staged>;
  /**
   * Finds untracked files that gates wrote since the last snapshot, and excludes them from later snapshots. Outputs of the
   * baseline are not protected either.
   */
  findOutputs(request: OutputsRequest): Promise<Outputs>;
  /** Includes outputs again that the agent has changed since the last check, and returns them. */
  reclaimOutputs(): Promise<readonly string[]>;
  /** Checks protected files after a gate has judged; reads only files whose metadata changed. */
  checkJudged(request: JudgedRequest): Promise<GateWrites>;
  /** Writes the tree into an empty folder. */
  copy(tree: string, dir: string): Promise<void>;
  /** Delivers the tree as requested. Never forces a push; obstacles are returned in `problem`. */
  deliver(request: DeliveryRequest, signal: AbortSignal): Promise<Delivered>;
  close(): Promise<void>;
}
