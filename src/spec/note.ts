// A note about an iteration for later ones.
import type { Usage } from "./agent.ts";

/** A summarizer's text; recorded as an event, so that the summarizer runs once. */
export interface Note {
  readonly text: string;
  readonly usage?: Usage;
  /** Why there is no summary; captured facts are used instead. */
  readonly problem?: string;
}
