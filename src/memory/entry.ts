// Formats an iteration as text: files changed, changes undone, false claim, and each gate's verdict, error and changed tests.
import type { Iteration, Judged, Run } from "#spec/run";
import type { Verdict } from "#spec/verdict";
import { head, oneLine, plain, quoted, tail } from "#text/plain-text";
import { shortenNames } from "#text/shorten-names";
import {
  type ChangedTests,
  changedTests,
  claimIn,
  fact,
  filesChanged,
  judgedFor,
  lastIterations,
  undoneIn,
} from "./facts.ts";
import { type FirstError, findError } from "./first-error.ts";
import { withoutNoise } from "./noise.ts";

const MAX_FILES = 12;
const MAX_TESTS = 5;
const TEST_CHARS = 100;
/** Gates store at most this much output. */
const SEARCHED_CHARS = 16_000;

/** Formats the findings of a failed gate in at most `chars` characters. */
type FormatFindings = (judged: Judged, chars: number) => string;

/** The ends of both streams within one budget; one stream may use what the other does not need. */
function outputEnds({ evidence }: Verdict, chars: number): string {
  const [stdout = "", stderr = ""] = [evidence.stdout, evidence.stderr].map((text = "") =>
    withoutNoise(text.slice(-SEARCHED_CHARS)).trim(),
  );
  const half = Math.floor(chars / 2);
  const errors = tail(stderr, Math.max(half, chars - stdout.length));
  const rest = Math.max(half, chars - stderr.length);
  return [tail(stdout, rest), errors].filter(Boolean).join("\n");
}

/** "adds (a.test.ts:3): expected 4, got 5". The name of a diagnostic already contains its message. */
function errorLine({ id, message, at }: FirstError): string {
  const [first = ""] = plain(message).trim().split("\n", 1);
  const location = at === undefined || first.includes(at) ? "" : ` (${at})`;
  if (id === undefined) return `${first}${location}`;
  return id.endsWith(`: ${first}`) ? `${id}${location}` : `${id}${location}: ${first}`;
}

function testsLine(label: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = shortenNames(
    names.slice(0, MAX_TESTS).map((name) => oneLine(name, 2_000)),
    TEST_CHARS,
  );
  const more = names.length - shown.length;
  return [`${label}: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`];
}

const testLines = ({ fixed, newlyFailing }: ChangedTests): string[] => [
  ...testsLine("newly failing", newlyFailing),
  ...testsLine("fixed", fixed),
];

/** The first error and the changed tests; without an error, the end of the output. */
const findings =
  (run: Run, iteration: Iteration): FormatFindings =>
  (judged, chars) => {
    const changed = testLines(changedTests(run, iteration, judged)).join("\n");
    const half = Math.floor(chars / 2);
    const limit = Math.max(half, chars - changed.length);
    const error = findError(judged.verdict, run.dir);
    const errorText = error ? oneLine(errorLine(error), limit) : outputEnds(judged.verdict, limit);
    return [errorText, head(changed, Math.max(half, chars - errorText.length))].filter(Boolean).join("\n");
  };

function gateEntry(judged: Judged, chars: number, format: FormatFindings): string {
  const { gate, verdict } = judged;
  const { command, exitCode } = verdict.evidence;
  const facts = [
    `gate ${gate}: ${verdict.status}, ${fact(verdict.summary)}`,
    ...(command ? [`command: ${fact(command)}`] : []),
    ...(exitCode !== undefined && exitCode !== null ? [`exit code: ${exitCode}`] : []),
    `duration: ${Math.round(verdict.durationMs)} ms`,
  ];
  const shown = verdict.status === "passed" ? "" : format(judged, chars);
  return shown ? `${facts.join("; ")}\n${quoted(shown)}` : facts.join("; ");
}

function filesLine(iteration: Iteration): string {
  const { names, more } = filesChanged(iteration, MAX_FILES);
  return `files changed: ${names.join(", ") || "none"}${more > 0 ? ` and ${more} more` : ""}`;
}

function undoneLines(iteration: Iteration): string[] {
  const paths = undoneIn(iteration);
  if (paths.length === 0) return [];
  const more = paths.length - MAX_FILES;
  const names = paths.slice(0, MAX_FILES).map(fact).join(", ");
  return [`undone, because it is protected: ${names}${more > 0 ? ` and ${more} more` : ""}`];
}

function claimLines(run: Run, iteration: Iteration): string[] {
  const claim = claimIn(run, iteration);
  if (!claim) return [];
  const red = claim.red === "" ? "the task was not done" : `these gates were red: ${claim.red}`;
  return [`false claim: said "${fact(claim.text)}" while ${red}`];
}

function agentLines({ agent }: Iteration): string[] {
  if (!agent || agent.ok) return [];
  return [`agent ${agent.failure}:\n${quoted(fact(agent.reason ?? "no reason given"))}`];
}

interface FindingsOptions {
  /** Budget for the findings of all gates. */
  readonly chars: number;
  readonly format: FormatFindings;
}

/** The captured text of an iteration. */
function formatEntry(run: Run, iteration: Iteration, { chars, format }: FindingsOptions): string {
  const judged = judgedFor(run, iteration);
  // Split one budget among the failed gates.
  const red = judged.filter(({ verdict }) => verdict.status !== "passed").length;
  const share = Math.floor(chars / Math.max(1, red));
  return [
    filesLine(iteration),
    ...undoneLines(iteration),
    ...claimLines(run, iteration),
    ...agentLines(iteration),
    ...judged.map((one) => gateEntry(one, share, format)),
  ].join("\n");
}

export function capturedOf(run: Run, iteration: Iteration, chars: number): string {
  return formatEntry(run, iteration, { chars, format: findings(run, iteration) });
}

/** With the end of the output, for a summarizer that picks what matters. */
export function capturedWithOutput(run: Run, iteration: Iteration, chars: number): string {
  return formatEntry(run, iteration, {
    chars,
    format: ({ verdict }, limit) => outputEnds(verdict, limit),
  });
}

/** The last iterations, each with its number as a heading and the text from `format`. */
export function entriesOf(run: Run, entries: number, format: (iteration: Iteration) => string): string {
  return lastIterations(run, entries)
    .map((iteration) => `## Iteration ${iteration.number}\n${format(iteration)}`)
    .join("\n\n");
}
