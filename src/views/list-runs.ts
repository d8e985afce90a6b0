// A page of the list of runs, newest first, by what people look for.
import { UsageError } from "#spec/errors";
import type { StateWord, Summary } from "#spec/overview";
import type { RunRow } from "#spec/store";
import type { App } from "#state/context";
import type { Summaries } from "./summaries.ts";

export interface Wanted {
  readonly states?: readonly StateWord[];
  /** Part of the id, the title, the agent or the folder, in whatever case. */
  readonly text?: string;
  readonly workspace?: string;
  readonly limit: number;
  /** Where the page before ended. */
  readonly cursor?: string;
}

export interface Listed {
  readonly runs: readonly Summary[];
  readonly total: number;
  readonly next?: string;
}

const cursorOf = ({ startedAt, id }: RunRow) =>
  Buffer.from(JSON.stringify([startedAt, id])).toString("base64url");

function placeOf(cursor: string): readonly [startedAt: string, id: string] {
  try {
    const [startedAt, id] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (typeof startedAt === "string" && typeof id === "string") return [startedAt, id];
  } catch {
    // Said below.
  }
  throw new UsageError("cursor: expected the `next` of the page before");
}

/** Behind the place in the order of the list; the run that stood there need not be there any more. */
function isBehind({ startedAt, id }: RunRow, [at, last]: readonly [string, string]): boolean {
  return startedAt < at || (startedAt === at && id > last);
}

function matches(summary: Summary, { states, text }: Wanted): boolean {
  if (states && !states.includes(summary.state)) return false;
  if (text === undefined) return true;
  const words = [summary.id, summary.title, summary.agent, summary.workspace].join("\n").toLowerCase();
  return words.includes(text.toLowerCase());
}

export async function listRuns(app: App, summaries: Summaries, wanted: Wanted): Promise<Listed> {
  const place = wanted.cursor === undefined ? undefined : placeOf(wanted.cursor);
  const all = (await app.store.runs()).filter(
    ({ workspace }) => wanted.workspace === undefined || workspace === wanted.workspace,
  );
  // Unless something in the runs is asked for, only those on the page have to be looked into.
  const looksInside = wanted.states !== undefined || wanted.text !== undefined;
  const found = looksInside
    ? (await summaries.ofAll(all)).flatMap(({ summary }, at) =>
        matches(summary, wanted) && all[at] ? [all[at]] : [],
      )
    : all;
  const rest = place ? found.filter((row) => isBehind(row, place)) : found;
  const page = rest.slice(0, wanted.limit);
  const last = page.at(-1);
  return {
    runs: (await summaries.ofAll(page)).map(({ summary }) => summary),
    total: found.length,
    ...(last && rest.length > page.length && { next: cursorOf(last) }),
  };
}
