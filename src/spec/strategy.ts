// Port of a strategy: a pure function from the run so far to a decision, so that any run can be resumed and replayed.
import type { Decision } from "./decision.ts";
import type { Run } from "./run.ts";

export type Strategy = (run: Run) => Decision | Promise<Decision>;
