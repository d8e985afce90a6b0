// Lists runs, newest first, with filters and cursor pagination.
import { UsageError } from "#spec/errors";
import type { StateWord, Summary } from "#spec/overview";
import type { RunRow } from "#spec/store";
import type { Context } from "#state/context";
import type { Summaries } from "./summaries.ts";

export interface RunFilter {
  readonly states?: readonly StateWord[];
  /** Case-insensitive substring of id, title, agent or folder. */
  readonly text?: string;
  readonly workspace?: string;
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly cursor?: string;
}

export interface RunPage {
  readonly runs: readonly Summary[];
  readonly total: number;
  readonly next?: string;
}

const cursorOf = ({ startedAt, id }: RunRow) =>
  Buffer.from(JSON.stringify([startedAt, id])).toString("base64url");

function parseCursor(cursor: string): readonly [startedAt: string, id: string] {
  try {
    const [startedAt, id] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (typeof startedAt === "string" && typeof id === "string") return [startedAt, id];
  } catch {
    // Not a cursor: throw below.
  }
  throw new UsageError("cursor: expected the `next` of the previous page");
}

/** Whether the run comes after the cursor. The run at the cursor may be gone. */
function isAfter({ startedAt, id }: RunRow, [at, last]: readonly [string, string]): boolean {
  return startedAt < at || (startedAt === at && id > last);
}

function matches(summary: Summary, { states, text }: RunFilter): boolean {
  if (states && !states.includes(summary.state)) return false;
  if (text === undefined) return true;
  const words = [summary.id, summary.title, summary.agent, summary.workspace].join("\n").toLowerCase();
  return words.includes(text.toLowerCase());
}

export async function listRuns(app: Context, summaries: Summaries, filter: RunFilter): Promise<RunPage> {
  const start = filter.cursor === undefined ? undefined : parseCursor(filter.cursor);
  const all = (await app.store.runs()).filter(
    ({ workspace }) => filter.workspace === undefined || workspace === filter.workspace,
  );
  // Without a filter on content, only the runs of this page are folded.
  const needsContent = filter.states !== undefined || filter.text !== undefined;
  const matching = needsContent
    ? (await summaries.ofAll(all)).flatMap(({ summary }, at) =>
        matches(summary, filter) && all[at] ? [all[at]] : [],
      )
    : all;
  const rest = start ? matching.filter((row) => isAfter(row, start)) : matching;
  const page = rest.slice(0, filter.limit);
  const last = page.at(-1);
  return {
    runs: (await summaries.ofAll(page)).map(({ summary }) => summary),
    total: matching.length,
    ...(last && rest.length > page.length && { next: cursorOf(last) }),
  };
}
