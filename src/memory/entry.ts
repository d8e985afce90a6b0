// An iteration as text: files changed, changes undone, a false claim, and of each gate its verdict, first error and changed tests.
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

const LISTED_FILES = 12;
const LISTED_TESTS = 5;
const TEST_CHARS = 100;
/** Gates keep no more of their output. */
const SEARCHED_CHARS = 16_000;

/** How a red gate's findings are told in at most `chars` characters. */
type Tell = (judged: Judged, chars: number) => string;

/** The ends of both streams within one budget: what one does not need, the other may have. */
function outputEnds({ evidence }: Verdict, chars: number): string {
  const [stdout = "", stderr = ""] = [evidence.stdout, evidence.stderr].map((text = "") =>
    withoutNoise(text.slice(-SEARCHED_CHARS)).trim(),
  );
  const half = Math.floor(chars / 2);
  const errors = tail(stderr, Math.max(half, chars - stdout.length));
  const rest = Math.max(half, chars - stderr.length);
  return [tail(stdout, rest), errors].filter(Boolean).join("\n");
}

/** "adds (a.test.ts:3): expected 4, got 5"; the name of a diagnostic holds its message already. */
function errorLine({ id, message, at }: FirstError): string {
  const [first = ""] = plain(message).trim().split("\n", 1);
  const place = at === undefined || first.includes(at) ? "" : ` (${at})`;
  if (id === undefined) return `${first}${place}`;
  return id.endsWith(`: ${first}`) ? `${id}${place}` : `${id}${place}: ${first}`;
}

function testsLine(label: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = shortenNames(
    names.slice(0, LISTED_TESTS).map((name) => oneLine(name, 2_000)),
    TEST_CHARS,
  );
  const more = names.length - shown.length;
  return [`${label}: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`];
}

const testLines = ({ fixed, newlyFailing }: ChangedTests): string[] => [
  ...testsLine("newly failing", newlyFailing),
  ...testsLine("fixed", fixed),
];

/** The first error and the tests that changed; where no error is found, the ends of the output. */
const findings =
  (run: Run, iteration: Iteration): Tell =>
  (judged, chars) => {
    const changed = testLines(changedTests(run, iteration, judged)).join("\n");
    const half = Math.floor(chars / 2);
    const most = Math.max(half, chars - changed.length);
    const error = findError(judged.verdict, run.dir);
    const found = error ? oneLine(errorLine(error), most) : outputEnds(judged.verdict, most);
    return [found, head(changed, Math.max(half, chars - found.length))].filter(Boolean).join("\n");
  };

function gateEntry(judged: Judged, chars: number, tell: Tell): string {
  const { gate, verdict } = judged;
  const { command, exitCode } = verdict.evidence;
  const facts = [
    `gate ${gate}: ${verdict.status}, ${fact(verdict.summary)}`,
    ...(command ? [`command: ${fact(command)}`] : []),
    ...(exitCode !== undefined && exitCode !== null ? [`exit code: ${exitCode}`] : []),
    `duration: ${Math.round(verdict.durationMs)} ms`,
  ];
  const shown = verdict.status === "passed" ? "" : tell(judged, chars);
  return shown ? `${facts.join("; ")}\n${quoted(shown)}` : facts.join("; ");
}

function filesLine(iteration: Iteration): string {
  const { names, more } = filesChanged(iteration, LISTED_FILES);
  return `files changed: ${names.join(", ") || "none"}${more > 0 ? ` and ${more} more` : ""}`;
}

function undoneLines(iteration: Iteration): string[] {
  const paths = undoneIn(iteration);
  if (paths.length === 0) return [];
  const more = paths.length - LISTED_FILES;
  const names = paths.slice(0, LISTED_FILES).map(fact).join(", ");
  return [`undone, because it is protected: ${names}${more > 0 ? ` and ${more} more` : ""}`];
}

function claimLines(run: Run, iteration: Iteration): string[] {
  const claim = claimIn(run, iteration);
  if (!claim) return [];
  const red = claim.red === "" ? "the task was not done" : `these gates were red: ${claim.red}`;
  return [`false claim: said "${fact(claim.said)}" while ${red}`];
}

function agentLines({ agent }: Iteration): string[] {
  if (!agent || agent.ok) return [];
  return [`agent ${agent.failure}:\n${quoted(fact(agent.reason ?? "no reason given"))}`];
}

/** What was captured of the iteration; `chars` is for what all of its gates found. */
function entryOf(run: Run, iteration: Iteration, chars: number, tell: Tell): string {
  const judged = judgedFor(run, iteration);
  // One budget for the iteration, whatever the number of its gates.
  const red = judged.filter(({ verdict }) => verdict.status !== "passed").length;
  const share = Math.floor(chars / Math.max(1, red));
  return [
    filesLine(iteration),
    ...undoneLines(iteration),
    ...claimLines(run, iteration),
    ...agentLines(iteration),
    ...judged.map((one) => gateEntry(one, share, tell)),
  ].join("\n");
}

export function capturedOf(run: Run, iteration: Iteration, chars: number): string {
  return entryOf(run, iteration, chars, findings(run, iteration));
}

/** With the ends of the output, for a summarizer that finds in it what matters. */
export function capturedWithOutput(run: Run, iteration: Iteration, chars: number): string {
  return entryOf(run, iteration, chars, ({ verdict }, most) => outputEnds(verdict, most));
}

/** The last iterations, each with its number over what `tell` says of it. */
export function entriesOf(run: Run, entries: number, tell: (iteration: Iteration) => string): string {
  return lastIterations(run, entries)
    .map((iteration) => `## Iteration ${iteration.number}\n${tell(iteration)}`)
    .join("\n\n");
}
