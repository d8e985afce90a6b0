// The port for the stop decision: a pure function of the run so far, so that any run can be resumed and replayed.
import type { Decision } from "./decision.ts";
import type { Run } from "./run.ts";

export type Strategy = (run: Run) => Decision | Promise<Decision>;
