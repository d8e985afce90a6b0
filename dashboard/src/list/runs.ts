// The list of runs as data, and how an update of one run changes it.
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

/** Only the server can search, so with a search text a new run has to be fetched. */
export function needsAsking({ runs }: Page, news: Summary, { text }: Filter): boolean {
  return text !== "" && !runs.some(({ id }) => id === news.id);
}

/** Applies an update of one run: changes, inserts or removes its row. */
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
  // Older than every shown run: it belongs to a later page.
  if (place < 0 && page.next !== undefined) return page;
  const runs = page.runs.toSpliced(place < 0 ? page.runs.length : place, 0, news);
  return { ...page, runs, total: page.total + 1 };
}

/** Appends a page without the runs that moved between pages in the meantime. */
export function joined(page: Page, more: Page): Page {
  const known = new Set(page.runs.map(({ id }) => id));
  const { next: _, ...rest } = more;
  return {
    ...rest,
    runs: [...page.runs, ...more.runs.filter(({ id }) => !known.has(id))],
    ...(more.next !== undefined && { next: more.next }),
  };
}
