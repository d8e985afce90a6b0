// What is noted about an iteration for those that come after it.
import type { Usage } from "./agent.ts";

/** What a summarizer made of an iteration; recorded as an event, so that it is asked once. */
export interface Note {
  readonly text: string;
  readonly usage?: Usage;
  /** Why there is no summary; what was captured stands in for it. */
  readonly problem?: string;
}
