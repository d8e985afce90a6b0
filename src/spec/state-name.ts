// What people read for the state of a run. Record and API keep the outcome's name.
import type { StateWord } from "./overview.ts";

/** A run that ran into a limit while it got better has not diverged: it is not solved. */
export const stateName = (state: StateWord): string => (state === "diverged" ? "not solved" : state);
