// Keeps the unsent task in session storage.
import { EXAMPLES } from "./examples.ts";

export interface Draft {
  readonly task: string;
  readonly dir: string;
}

const KEY = "converge-draft";

export const BLANK: Draft = { task: EXAMPLES[0]?.text ?? "", dir: "" };

/** Parses a stored draft; anything else gives the blank one. */
export function draftFrom(stored: string | null): Draft {
  try {
    const { task, dir } = JSON.parse(stored ?? "") as Record<string, unknown>;
    if (typeof task === "string" && typeof dir === "string") return { task, dir };
  } catch {
    // Not a stored draft.
  }
  return BLANK;
}

export function readDraft(): Draft {
  try {
    return draftFrom(sessionStorage.getItem(KEY));
  } catch {
    return BLANK;
  }
}

export function keepDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    // Without storage the draft lasts as long as the view.
  }
}

export function forgetDraft(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Without storage there is no draft.
  }
}
