// How a process is shut off from the machine: the one field that whoever starts an agent fills in.

export interface Enclosure {
  readonly by: "bwrap" | "srt";
  /** It may write in its folder and in `writes`, nowhere else; without it everywhere but in `hidden`. */
  readonly strict: boolean;
  readonly network: boolean;
  /** Folders that it does not see; its own folder, `reads` and `writes` stay visible even in there. */
  readonly hidden: readonly string[];
  /** Files and folders that it sees and cannot change. Within `writes` they are the exception: settings in a folder of state. */
  readonly reads: readonly string[];
  /** Files and folders that it may change. */
  readonly writes: readonly string[];
}

export interface Enclosed {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** On descriptor 3 it tells who is inside, so that signals go there. */
  readonly tells: boolean;
}
