// GitHub Actions gate: the result of the workflow runs for a commit, if that commit has the judged files.
import { defineGate } from "#options/part";
import type { Gate, JudgeRequest } from "#spec/gate";
import type { Evidence } from "#spec/verdict";
import { type Clock, systemClock } from "#system/clock";
import { oneLine } from "#text/plain-text";
import { accessFor } from "./access.ts";
import { CannotJudge, NotPushed } from "./cannot-judge.ts";
import { client } from "./client.ts";
import { failuresOf } from "./failures.ts";
import { jobsOf } from "./jobs.ts";
import { type Journal, openJournal } from "./journal.ts";
import { type CiOptions, ciOptions, DEFAULTS } from "./options.ts";
import { finishedRuns } from "./runs.ts";
import { checkSamePlace, described } from "./same-place.ts";
import { type Subject, subjectOf } from "./subject.ts";
import { badRuns, type Found, judged, unseen } from "./verdicts.ts";

/** Characters of a failure besides the end of its log. */
const AROUND_LOG = 200;

const SUMMARY_CHARS = 1_000;

function errored(error: unknown): Found {
  if (!(error instanceof CannotJudge)) throw error;
  const summary = oneLine(error.message, SUMMARY_CHARS);
  const mendable = error instanceof NotPushed && { mendable: true as const };
  return { status: "errored", score: 0, summary, failures: [{ message: summary }], ...mendable };
}

export function ci(name: string, options: CiOptions = {}, clock: Clock = systemClock): Gate {
  const settings = { ...DEFAULTS, ...options };
  const base = new URL(settings.baseUrl);

  const askCi = async (
    { repository, commit, folder }: Subject,
    request: JudgeRequest,
    { say }: Journal,
    signal: AbortSignal,
  ): Promise<Found> => {
    const { run, files } = request;
    const access = accessFor({ base, tokenEnv: options.tokenEnv, workspace: run.dir, run: run.id, files });
    const deadline = clock.monotonic() + settings.timeoutMs;
    const asked = client({ base, repository, access, clock, deadline, signal });
    const noRunsMs = Math.min(settings.noRunsMs, settings.timeoutMs);
    const wanted = { ...settings, noRunsMs, repository, commit, workflows: settings.workflows ?? [] };
    const runs = await finishedRuns(asked, wanted, clock, say);
    const finished = [];
    for (const one of runs) finished.push(await jobsOf(asked, one));
    const failures = await failuresOf(badRuns(finished), {
      client: asked,
      folder,
      // The next prompt cuts off the end of a failure, so a longer log would lose its last lines.
      logChars: Math.max(AROUND_LOG, run.task.feedback.chars - AROUND_LOG),
      keep: (job, log) => say(`\n--- ${job}\n${log}`),
    });
    return judged(finished, failures);
  };

  return {
    name,
    judge: async (request, signal) => {
      const began = clock.monotonic();
      const journal = openJournal(request.files);
      let evidence: Evidence = {};
      const find = async (): Promise<Found> => {
        if (signal.aborted) throw new CannotJudge("was cut off before it was done");
        // Not `request.dir`: a clean room has the files but is not a repository.
        const subject = await subjectOf(request.run.dir, options);
        checkSamePlace(request.run, name, subject);
        evidence = { command: described(subject) };
        if (subject.tree !== undefined && subject.tree !== request.tree) return unseen(subject, request.tree);
        return askCi(subject, request, journal, signal);
      };
      const found = await find().catch(errored);
      const stdout = journal.end();
      return {
        ...found,
        summary: oneLine(found.summary, SUMMARY_CHARS),
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
