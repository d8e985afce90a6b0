// What was written and not yet started, kept as long as the tab is open.
import { EXAMPLES } from "./examples.ts";

export interface Draft {
  readonly task: string;
  readonly dir: string;
}

const KEY = "converge-draft";

export const BLANK: Draft = { task: EXAMPLES[0]?.text ?? "", dir: "" };

/** Whatever was stored, by whoever. */
export function draftFrom(stored: string | null): Draft {
  try {
    const { task, dir } = JSON.parse(stored ?? "") as Record<string, unknown>;
    if (typeof task === "string" && typeof dir === "string") return { task, dir };
  } catch {
    // Nothing that we wrote.
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
    // Without storage it lasts as long as the view.
  }
}

export function forgetDraft(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // There is none then.
  }
}
