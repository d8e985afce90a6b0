// GitHub Actions gate: the result of the workflow runs for a commit, if that commit has the judged files.
import fs from "node:fs";
import path from "node:path";
import { defineGate } from "#options/part";
import type { Gate, JudgeRequest } from "#spec/gate";
import type { Evidence } from "#spec/verdict";
import { type Clock, systemClock } from "#system/clock";
import { openLog, readTail, sizeOf } from "#system/files";
import { secrets } from "#system/secrets/secrets";
import { oneLine, tail } from "#text/plain-text";
import { accessFor } from "./access.ts";
import { CannotJudge, NotPushed } from "./cannot-judge.ts";
import { client } from "./client.ts";
import { failuresOf } from "./failures.ts";
import { jobsOf } from "./jobs.ts";
import { type CiOptions, ciOptions, DEFAULTS } from "./options.ts";
import { waitForRuns } from "./runs.ts";
import { checkSamePlace, describeSubject, type Subject, subjectOf } from "./subject.ts";
import { badRuns, type CiResult, notCommitted, resultOf } from "./verdicts.ts";

/** Characters of a failure besides the end of its log. */
const AROUND_LOG = 200;

const SUMMARY_CHARS = 1_000;
const END_BYTES = 16_384;
const END_CHARS = 4_000;

function erroredResult(error: unknown): CiResult {
  if (!(error instanceof CannotJudge)) throw error;
  const summary = oneLine(error.message, SUMMARY_CHARS);
  const mendable = error instanceof NotPushed && { mendable: true as const };
  return { status: "errored", score: 0, summary, failures: [{ message: summary }], ...mendable };
}

/** Progress messages and job logs of the gate: in full in a file, the end in the verdict. */
interface Journal {
  log(text: string): void;
  end(): string;
}

function openJournal(files: string): Journal {
  const file = path.join(files, "stdout.log");
  const from = sizeOf(file);
  return {
    log: (text) => {
      const handle = openLog(file);
      fs.writeSync(handle, `${secrets.mask(text)}\n`);
      fs.closeSync(handle);
    },
    end: () => tail(readTail(file, END_BYTES, from), END_CHARS),
  };
}

/** What the gate judges, and with what. */
interface Inquiry {
  /** Of the API. */
  readonly base: URL;
  readonly subject: Subject;
  readonly options: CiOptions;
  readonly request: JudgeRequest;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Waits for the runs of the commit, and reads their jobs and failures. */
async function fetchResult(inquiry: Inquiry): Promise<CiResult> {
  const { base, subject, options, request, journal, clock, signal } = inquiry;
  const { repository, commit, folder } = subject;
  const { run, files } = request;
  const { log } = journal;
  const settings = { ...DEFAULTS, ...options };
  const access = accessFor({ base, tokenEnv: options.tokenEnv, workspace: run.dir, run: run.id, files });
  const deadline = clock.monotonic() + settings.timeoutMs;
  const api = client({ base, repository, access, clock, deadline, signal });
  const noRunsMs = Math.min(settings.noRunsMs, settings.timeoutMs);
  const query = { ...settings, noRunsMs, repository, commit, workflows: settings.workflows ?? [] };
  const finished = [];
  for (const one of await waitForRuns(api, query, { clock, log })) finished.push(await jobsOf(api, one));
  const failures = await failuresOf(badRuns(finished), {
    client: api,
    folder,
    // The next prompt cuts off the end of a failure, so a longer log would lose its last lines.
    logChars: Math.max(AROUND_LOG, run.task.feedback.chars - AROUND_LOG),
    saveLog: (job, text) => log(`\n--- ${job}\n${text}`),
  });
  return resultOf(finished, failures);
}

export function ci(name: string, options: CiOptions = {}, clock: Clock = systemClock): Gate {
  const base = new URL(options.baseUrl ?? DEFAULTS.baseUrl);
  return {
    name,
    judge: async (request, signal) => {
      const began = clock.monotonic();
      const journal = openJournal(request.files);
      let evidence: Evidence = {};
      const check = async (): Promise<CiResult> => {
        if (signal.aborted) throw new CannotJudge("interrupted before it finished");
        // Not `request.dir`: a clean room has the files but is not a repository.
        const subject = await subjectOf(request.run.dir, options);
        checkSamePlace(request.run, name, subject);
        evidence = { command: describeSubject(subject) };
        if (subject.tree !== undefined && subject.tree !== request.tree)
          return notCommitted(subject, request.tree);
        return fetchResult({ base, subject, options, request, journal, clock, signal });
      };
      const result = await check().catch(erroredResult);
      const stdout = journal.end();
      return {
        ...result,
        summary: oneLine(result.summary, SUMMARY_CHARS),
        evidence: { ...evidence, ...(stdout && { stdout }) },
        durationMs: Math.round(clock.monotonic() - began),
      };
    },
  };
}

export const ciGate = defineGate({
  type: "ci",
  summary: "Waits for the GitHub Actions runs of the pushed commit.",
  options: ciOptions,
  traits: {
    // The gate reads no files of the workspace, and needs the user's credentials.
    cleanRoom: false,
    steeringFiles: [{ pattern: ".github/**", reason: "workflows that the gate judges by" }],
  },
  create: (options, { name }) => ci(name, options),
});
