// The class of a workspace file, with the reason.

/**
 * `source`: what the agent is asked to change. `test`: test cases and their data. `steering`: decides how tests run, such
 * as settings, set-up, scripts and recipes. `dependency`: a manifest, lockfile or installed package. `output`: written by
 * tools.
 */
export type FileClass = "source" | "test" | "steering" | "dependency" | "output";

export interface Classified {
  readonly class: FileClass;
  readonly reason: string;
}
