// The list of runs that is shown, and what news of one run makes of it.
import type { StateWord, Summary } from "#spec/overview";

export interface Filter {
  readonly states: readonly StateWord[];
  readonly text: string;
  readonly workspace: string;
}

export interface Page {
  readonly runs: readonly Summary[];
  readonly total: number;
  readonly next?: string;
}

export const STATES: readonly StateWord[] = [
  "running",
  "waiting",
  "paused",
  "away",
  "queued",
  "interrupted",
  "blocked",
  "converged",
  "diverged",
  "stopped",
  "error",
  "tampered",
];

export const isFiltered = ({ states, text, workspace }: Filter): boolean =>
  states.length > 0 || text !== "" || workspace !== "";

/** What the server looks through cannot be known here: with words to look for, a run that is new has to be asked for. */
export function needsAsking({ runs }: Page, news: Summary, { text }: Filter): boolean {
  return text !== "" && !runs.some(({ id }) => id === news.id);
}

/** The page with news of one run: it changes its row, joins at its place, or leaves when it no longer fits. */
export function withNews(page: Page, news: Summary, { states, text, workspace }: Filter): Page {
  const fits =
    (states.length === 0 || states.includes(news.state)) &&
    (workspace === "" || news.workspace === workspace);
  const at = page.runs.findIndex(({ id }) => id === news.id);
  if (at >= 0) {
    if (fits) return { ...page, runs: page.runs.with(at, news) };
    return { ...page, runs: page.runs.toSpliced(at, 1), total: page.total - 1 };
  }
  if (!fits || text !== "") return page;
  const place = page.runs.findIndex(({ startedAt }) => startedAt < news.startedAt);
  // Older than everything shown: it is on a later page.
  if (place < 0 && page.next !== undefined) return page;
  const runs = page.runs.toSpliced(place < 0 ? page.runs.length : place, 0, news);
  return { ...page, runs, total: page.total + 1 };
}

/** More runs, without those that moved from one page to the next meanwhile. */
export function joined(page: Page, more: Page): Page {
  const known = new Set(page.runs.map(({ id }) => id));
  const { next: _, ...rest } = more;
  return {
    ...rest,
    runs: [...page.runs, ...more.runs.filter(({ id }) => !known.has(id))],
    ...(more.next !== undefined && { next: more.next }),
  };
}
