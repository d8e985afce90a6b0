// Describes failed jobs: the step, the annotations with their locations, and the end of the log.

import type { Failure } from "#spec/verdict";
import { plain, tail } from "#text/plain-text";
import { CannotJudge } from "./cannot-judge.ts";
import type { Client } from "./client.ts";
import { describeConclusion, type Finished, isBad } from "./jobs.ts";
import { titleOf } from "./runs.ts";
import { type Annotation, annotationsPage, type Job } from "./shapes.ts";

const MOST_JOBS = 20;
const MOST_ANNOTATIONS = 30;
const STAMP = /^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?/;
const MARKS = /^##\[(?:group|endgroup|command|debug|section)\]/;

export interface FailureOptions {
  readonly client: Client;
  /** Path of the workspace inside the repository. */
  readonly folder: string;
  /** Limit of a log inside a failure. */
  readonly logChars: number;
  /** Saves the longer end of a log. */
  readonly saveLog: (job: string, log: string) => void;
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

function locationOf({ path, start_line }: Annotation, folder: string): string | undefined {
  // GitHub puts annotations about the whole run at `.github`, which is not a file.
  if (path === "" || path === ".github") return undefined;
  const below = folder !== "" && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  return start_line ? `${below}:${start_line}` : below;
}

function annotationFailure(id: string, annotation: Annotation, folder: string): Failure {
  const location = locationOf(annotation, folder);
  const title = annotation.title || annotation.path;
  return {
    id: title ? `${id}: ${title}` : id,
    message: annotation.message || title || "(empty annotation)",
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

/** Removes timestamps and drops everything after the last error: clean-up steps run later and say nothing about it. */
function readableLog(log: string): string {
  const lines = log.split(/\r?\n/).map((line) => line.replace(STAMP, ""));
  const last = lines.findLastIndex((line) => line.startsWith("##[error]"));
  return lines
    .slice(0, last < 0 ? lines.length : last + 1)
    .map((line) => line.replace(MARKS, "").replace(/^##\[(error|warning|notice)\]/, "$1: "))
    .join("\n")
    .trim();
}

async function failuresOfJob(
  id: string,
  job: Job,
  { client, folder, logChars, saveLog }: FailureOptions,
): Promise<Failure[]> {
  const annotations = await optional("annotations", () => annotationsOf(job, client));
  const log = await optional("log", async () =>
    plain(readableLog(await client.end(`actions/jobs/${job.id}/logs`))),
  );
  saveLog(id, log);
  const step = job.steps.find(({ conclusion }) => conclusion !== "" && isBad(conclusion))?.name;
  const message = [
    `${describeConclusion(job.conclusion)}${step ? ` at step "${step}"` : ""}${log && "; the end of its log:"}`,
    tail(log, logChars),
    ...(typeof annotations === "string" ? [annotations] : []),
  ];
  return [
    { id, message: message.filter(Boolean).join("\n") },
    ...(typeof annotations === "string" ? [] : annotations).map((each) =>
      annotationFailure(id, each, folder),
    ),
  ];
}

/** For a failed run without a failed job: its workflow file is invalid, or it was stopped before it began. */
function failureOfRun({ run }: Finished): Failure {
  return {
    id: titleOf(run),
    message: [describeConclusion(run.conclusion), run.html_url].filter(Boolean).join("; see "),
  };
}

export async function failuresOf(bad: readonly Finished[], options: FailureOptions): Promise<Failure[]> {
  const failures: Failure[] = [];
  let jobs = 0;
  for (const finished of bad) {
    const title = titleOf(finished.run);
    const failedJobs = finished.jobs
      .filter(({ conclusion }) => isBad(conclusion))
      .toSorted((a, b) => isAftermath(a) - isAftermath(b));
    if (failedJobs.length === 0) failures.push(failureOfRun(finished));
    for (const job of failedJobs) {
      const id = `${title} / ${job.name || job.id}`;
      // Further jobs get no details, because each costs two requests.
      if (++jobs > MOST_JOBS) failures.push({ id, message: describeConclusion(job.conclusion) });
      else failures.push(...(await failuresOfJob(id, job, options)));
    }
  }
  return failures;
}
