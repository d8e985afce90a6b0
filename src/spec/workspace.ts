// The port for where the agent works.

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
  /** What could not be captured (nested repositories, unreadable files), each with the reason. */
  readonly omitted: readonly string[];
}

export interface Workspace {
  readonly dir: string;
  /** Captures the files as they are; `since` is the tree that the changes are counted against. */
  snapshot(since?: string): Promise<Snapshot>;
  diff(from: string, to: string): Promise<string>;
  /** Makes the files equal to the tree. What was there is captured first and returned. */
  restore(tree: string): Promise<Snapshot>;
  close(): Promise<void>;
}
