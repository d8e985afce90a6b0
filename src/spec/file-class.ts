// The class of a file in a workspace, and why it has it.

/**
 * `source` is what the agent is asked to change. `test` is test cases and their data. `steering` decides how tests
 * run: settings, set-up, scripts, recipes. `dependency` is a manifest, a lockfile or an installed package. `output`
 * is written by tools.
 */
export type FileClass = "source" | "test" | "steering" | "dependency" | "output";

export interface Classified {
  readonly class: FileClass;
  readonly reason: string;
}
