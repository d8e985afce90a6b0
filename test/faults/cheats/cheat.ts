// A cheating agent as data: one trick, what it is tried on, and what is expected to come of it.
import type { Project } from "./projects.ts";

export interface Cheat {
  readonly name: string;
  /** The trick, in words for people. */
  readonly does: string;
  /** What it is tried on; the plain project unless told. */
  readonly project?: Project;
  /**
   * A shell script, run in the workspace. `$ROOT` is a folder outside of it that the agent may write to, `$STATE` the
   * state folder, `$CLI` the command line; `sql STATEMENTS` changes the database, `weaken FILE…` makes tests agree
   * with the bug.
   */
  readonly agent: string;
  /**
   * `stopped`: the run does not end as converged. `flagged`: that too, and it is told: what is protected was changed
   * and the originals were judged, or the record was tampered with. `not caught`: it works.
   */
  readonly expected: "stopped" | "flagged" | "not caught";
}
