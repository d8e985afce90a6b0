// Sandbox settings of a process: how far it is isolated from the machine.

export interface Enclosure {
  readonly by: "bwrap" | "srt";
  /** Allows writes only in the working folder and `writes`; otherwise everywhere but in `hidden`. */
  readonly strict: boolean;
  readonly network: boolean;
  /** Folders the process cannot see; its working folder, `reads` and `writes` stay visible inside them. */
  readonly hidden: readonly string[];
  /** Read-only files and folders. They win over `writes`: a settings file inside a writable state folder stays read-only. */
  readonly reads: readonly string[];
  /** Writable files and folders. */
  readonly writes: readonly string[];
}

export interface Enclosed {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the sandbox program writes the PID of its first process to descriptor 3, so that signals can go there. */
  readonly reportsPid: boolean;
}
