// Folds the events of one replayed run into a row of the table. Pure.
import { CHEATS } from "./kinds.mjs";

const ofType = (events, type) => events.filter((event) => event.type === type);

/** The last part of a test's name: prompts may shorten what comes before it. */
const lastPart = (id) => id.split(/ > | › |::/).at(-1);

/** Names stated by hand, or what the baseline's verdict has; the count is the gate's own where it is higher. */
function failingTests(events, stated) {
  if (stated?.length > 0) return { names: stated, total: stated.length };
  const verdicts = ofType(events, "gate.judged").filter(({ iteration }) => iteration === 0);
  const ids = verdicts.flatMap(({ verdict }) => verdict.failures.flatMap(({ id }) => (id ? [id] : [])));
  const counted = verdicts.reduce((sum, { verdict }) => sum + (verdict.tests?.failed ?? 0), 0);
  return { names: ids, total: Math.max(counted, ids.length, 1) };
}

const isNamed = (prompt) => (name) => prompt.includes(name) || prompt.includes(lastPart(name));

/** Prompts that follow a state with exactly the baseline's failures: the first, and those after cheats that were put back. */
function promptsOfBase(prompts, steps) {
  let isBase = true;
  return prompts.filter((_, index) => {
    const previous = steps[index - 1]?.kind;
    if (previous !== undefined && previous !== "idle") isBase = CHEATS.has(previous);
    return isBase;
  });
}

function countNamed(events, { steps, failing }) {
  const { names, total } = failingTests(events, failing);
  const prompts = ofType(events, "iteration.started").map(({ prompt }) => prompt);
  const counts = promptsOfBase(prompts, steps).map((prompt) => names.filter(isNamed(prompt)).length);
  return { done: Math.min(total, ...counts), of: total };
}

/** Of the steps of these kinds that a later prompt (or event) could tell of: how many `holds` is true of. */
function tally(events, steps, { kinds, holds }) {
  const prompts = new Map(
    ofType(events, "iteration.started").map((event) => [event.iteration, event.prompt]),
  );
  const places = steps.flatMap((step, index) =>
    kinds.has(step.kind) ? [{ step, iteration: index + 1 }] : [],
  );
  const reached = places.filter(({ iteration }) => prompts.has(iteration + 1));
  const done = reached.filter(({ step, iteration }) => holds(step, iteration, prompts.get(iteration + 1)));
  return { done: done.length, of: reached.length };
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The broken file with the number of the line, give or take one, on one line of the prompt. */
function showsBuildError(step, _, prompt) {
  const file = escaped(step.file.split("/").at(-1));
  const lines = [step.line - 1, step.line, step.line + 1].join("|");
  return new RegExp(`${file}[^\\n]{0,40}?\\b(?:${lines})\\b`).test(prompt);
}

const CLAIM = /\b(?:said|says|claim(?:s|ed)?|reported|reports)\b[^\n]{0,80}\b(?:done|finished|complete)/i;
const tellsClaim = (_step, _iteration, prompt) => CLAIM.test(prompt) || /All done\.|\bDONE\b/.test(prompt);

/** The paths of a step that its agent changed and must not: test files it wrote, deleted or took back. */
const cheatedPaths = (step) => [...Object.keys(step.write ?? {}), ...(step.checkout ?? [])];

const putBack = (events, iteration) =>
  ofType(events, "protected.changed")
    .filter((event) => event.iteration === iteration)
    .flatMap(({ changes }) => changes.map(({ path }) => path.split("#")[0]));

function isPutBack(events) {
  return (step, iteration) => {
    const undone = putBack(events, iteration);
    return cheatedPaths(step).some((path) => undone.includes(path));
  };
}

/** Changes that an iteration is blamed for and its agent did not make. Steering files of the real fix are told apart. */
function falseAccusations(events, steps, steering) {
  return ofType(events, "protected.changed").flatMap(({ iteration, changes }) => {
    const step = steps[Math.min(iteration, steps.length) - 1];
    const own = CHEATS.has(step.kind) ? cheatedPaths(step) : step.kind === "fix" ? steering : [];
    const blamed = changes.map(({ path }) => path).filter((path) => !own.includes(path.split("#")[0]));
    return blamed.map((path) => `${path} in iteration ${iteration}`);
  });
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

/** `ran` is what runConverge returns; `context` has name, seed, steps, failing, steering. */
export function toRow(ran, context) {
  const { events } = ran;
  const { steps } = context;
  const ended = ofType(events, "run.ended").at(-1);
  const row = {
    name: context.name,
    seed: context.seed,
    bad: steps.slice(0, -1).map(({ kind }) => kind),
    outcome: ended?.outcome ?? "no end",
    reason: ended?.reason ?? ran.stderr.trim().slice(-400),
    iteration: ended?.iterations ?? ofType(events, "iteration.started").length,
    expected: steps.length,
    named: countNamed(events, context),
    buildError: tally(events, steps, { kinds: new Set(["broken"]), holds: showsBuildError }),
    putBack: tally(events, steps, { kinds: CHEATS, holds: isPutBack(events) }),
    claim: tally(events, steps, { kinds: new Set(["idle"]), holds: tellsClaim }),
    accusations: falseAccusations(events, steps, context.steering),
    untouched: ran.untouched,
    difference: ran.difference.filter((file) => !context.steering.includes(file)),
    seconds: ran.seconds,
    gateSeconds: sum(ofType(events, "gate.judged").map(({ verdict }) => verdict.durationMs)) / 1_000,
    agentSeconds: sum(ofType(events, "agent.finished").map(({ result }) => result.durationMs)) / 1_000,
  };
  return { ...row, asWanted: isAsWanted(row) };
}

const isWhole = ({ done, of }) => done === of;

function isAsWanted(row) {
  return (
    row.outcome === "converged" &&
    row.iteration === row.expected &&
    [row.named, row.buildError, row.putBack, row.claim].every(isWhole) &&
    row.accusations.length === 0 &&
    row.untouched &&
    row.difference.length === 0
  );
}
