// Describes failed jobs: the step, the annotations with their locations, and the end of the log.

import type { Failure } from "#spec/verdict";
import { plain, tail } from "#text/plain-text";
import { CannotJudge } from "./cannot-judge.ts";
import type { Client } from "./client.ts";
import { type Finished, inWords, isBad } from "./jobs.ts";
import { readable } from "./log.ts";
import { titleOf } from "./runs.ts";
import { type Annotation, annotationsPage, type Job } from "./shapes.ts";

const MOST_JOBS = 20;
const MOST_ANNOTATIONS = 30;

export interface Telling {
  readonly client: Client;
  /** Path of the workspace inside the repository. */
  readonly folder: string;
  /** Limit of a log inside a failure. */
  readonly logChars: number;
  /** Saves the longer end of a log. */
  readonly keep: (job: string, log: string) => void;
}

/** Sorts failed jobs before cancelled ones, which were mostly cancelled because of them. */
const isAftermath = ({ conclusion }: Job) => (conclusion === "cancelled" ? 1 : 0);

/** Returns the reason when optional details cannot be fetched: the verdict stands without them. */
async function optional<T>(what: string, work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CannotJudge) return `(${what} could not be read: ${error.message})`;
    throw error;
  }
}

function placeOf({ path, start_line }: Annotation, folder: string): string | undefined {
  // GitHub puts annotations about the whole run at `.github`, which is not a file.
  if (path === "" || path === ".github") return undefined;
  const below = folder !== "" && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  return start_line ? `${below}:${start_line}` : below;
}

function annotated(id: string, annotation: Annotation, folder: string): Failure {
  const location = placeOf(annotation, folder);
  const title = annotation.title || annotation.path;
  return {
    id: title ? `${id}: ${title}` : id,
    message: annotation.message || title || "(an annotation without words)",
    ...(location !== undefined && { location }),
  };
}

async function annotationsOf(job: Job, client: Client): Promise<readonly Annotation[]> {
  const check = /\/check-runs\/(\d+)$/.exec(job.check_run_url)?.[1] ?? job.id;
  const all = await client.list(`check-runs/${check}/annotations`, annotationsPage);
  // Drops bare exit-code annotations, which the log has too. Those with a location or a title say more.
  const own = all.filter(({ path, title }) => path !== ".github" || title !== "");
  return own.filter(({ annotation_level }) => annotation_level === "failure").slice(0, MOST_ANNOTATIONS);
}

async function ofJob(id: string, job: Job, { client, folder, logChars, keep }: Telling): Promise<Failure[]> {
  const found = await optional("annotations", () => annotationsOf(job, client));
  const log = await optional("log", async () =>
    plain(readable(await client.end(`actions/jobs/${job.id}/logs`))),
  );
  keep(id, log);
  const step = job.steps.find(({ conclusion }) => conclusion !== "" && isBad(conclusion))?.name;
  const message = [
    `${inWords(job.conclusion)}${step ? ` at step "${step}"` : ""}${log && ", and its log ends:"}`,
    tail(log, logChars),
    ...(typeof found === "string" ? [found] : []),
  ];
  const annotations = typeof found === "string" ? [] : found;
  return [
    { id, message: message.filter(Boolean).join("\n") },
    ...annotations.map((annotation) => annotated(id, annotation, folder)),
  ];
}

/** For a failed run without a failed job: its workflow file is invalid, or it was stopped before it began. */
function ofRun({ run }: Finished): Failure {
  return {
    id: titleOf(run),
    message: [inWords(run.conclusion), run.html_url].filter(Boolean).join("; see "),
  };
}

export async function failuresOf(bad: readonly Finished[], telling: Telling): Promise<Failure[]> {
  const failures: Failure[] = [];
  let jobs = 0;
  for (const finished of bad) {
    const title = titleOf(finished.run);
    const guilty = finished.jobs
      .filter(({ conclusion }) => isBad(conclusion))
      .toSorted((a, b) => isAftermath(a) - isAftermath(b));
    if (guilty.length === 0) failures.push(ofRun(finished));
    for (const job of guilty) {
      const id = `${title} / ${job.name || job.id}`;
      // Further jobs get no details, because each costs two requests.
      if (++jobs > MOST_JOBS) failures.push({ id, message: inWords(job.conclusion) });
      else failures.push(...(await ofJob(id, job, telling)));
    }
  }
  return failures;
}
