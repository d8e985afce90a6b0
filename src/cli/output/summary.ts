// Renders `converge show`: a summary of the whole run.

import { cautionsOf } from "#rules/cautions";
import { describeRed, falseClaim } from "#rules/claim";
import { failingOf } from "#rules/failing-tests";
import type { StateWord } from "#spec/overview";
import type { Progress } from "#spec/progress";
import type { Iteration, Run } from "#spec/run";
import { isFlaky } from "#spec/verdict";
import type { Delivered } from "#spec/workspace";
import { agents, component, isSession } from "#text/labels";
import { whereDelivered } from "#text/where-delivered";
import { counted, duration, mark, moment, money, score, testFraction } from "./format.ts";
import { statusSign } from "./gate-lines.ts";
import { nextSteps, stepParts } from "./next-steps.ts";
import { firstLine, joinFitting, type Part, reasonRows, render, tone, wrap } from "./spans.ts";
import type { Screen, Style } from "./style.ts";
import { headRow, table } from "./table.ts";
import { usage } from "./usage.ts";
import { decided, isolation, iterationName, state, workspace } from "./words.ts";
import { undoneLine } from "./workspace-lines.ts";

const LABEL = 11;
const REASON_LINES = 4;
const REFUSED_SHOWN = 3;
/** Narrower output omits the agent's usage. */
const WIDE = 72;

/** A run with what was computed from it. */
interface RunSummary {
  readonly run: Run;
  readonly progress: Progress;
  /** The state, if the caller has checked for a driver. */
  readonly standing?: StateWord;
}

const fact = (label: string, ...parts: readonly Part[]): Part[] => [
  tone("faint", `  ${label.padEnd(LABEL)}`),
  ...parts,
];

function heading({ run, standing }: RunSummary, columns: number): Part[][] {
  const { word, tone: kind } = state(run, standing);
  const size = `${run.ended ? " after" : ","} ${counted(run.iterations.length, "iteration")} in ${duration(run.elapsedMs)}`;
  const reason = run.ended?.reason ?? run.waitingFor?.reason;
  const lines = reason === undefined ? [] : wrap(reason, columns - 2, REASON_LINES);
  return [[tone("strong", run.id), "  ", tone(kind, word), size], ...lines.map((line) => [`  ${line}`])];
}

function facts({ run, progress }: RunSummary, screen: Screen): Part[][] {
  const { style, columns } = screen;
  const { task } = run;
  const { best } = progress;
  const iterations = [
    `${run.iterations.length}`,
    tone("faint", ` of ${counted(progress.maxIterations, "iteration")}`),
  ];
  const used = [iterations, ...usage(run, progress, style)];
  // Where nothing beats the untouched files, there is nothing to name.
  const reached =
    best && best.iteration > 0 && `${iterationName(best.iteration)} with score ${score(best.score)}`;
  return [
    fact("task", firstLine(task.prompt)),
    fact("agent", agents(task)),
    fact("strategy", component(task.strategy)),
    fact("workspace", `${workspace(task)}, ${run.dir}`),
    ...(run.isolation && !isSession(task) ? [fact("isolation", isolation(run.isolation))] : []),
    fact("started", `${moment(run.startedAt)} on ${run.host}`),
    fact("used", ...joinFitting(used, columns - LABEL - 2, style)),
    ...(reached ? [fact("best", reached)] : []),
    ...(run.delivered ? delivery(run.delivered, screen) : []),
  ];
}

function delivery(delivered: Delivered, { style, columns }: Screen): Part[][] {
  const { type, problem } = delivered;
  if (problem === undefined) return [fact("delivered", `as ${type}: ${whereDelivered(delivered)}`)];
  const words = `${style.glyphs.warning} not as ${type}: ${problem}`;
  return wrap(words, columns - LABEL - 2, REASON_LINES).map((line, at) =>
    fact(at === 0 ? "delivered" : "", at === 0 ? tone("loud", line) : line),
  );
}

/** Symbol and test counts of a verdict, in its colour. */
function gateCell(iteration: Iteration, gate: string, style: Style): Part {
  const verdict = iteration.verdicts.findLast((each) => each.gate === gate)?.verdict;
  if (!verdict) return "";
  const tests = verdict.tests ? ` ${testFraction(verdict.tests)}` : "";
  const text = mark(verdict.status, style.glyphs) + tests;
  return isFlaky(verdict) ? tone("warn", `${text} flaky`) : { ...statusSign(verdict.status, style), text };
}

function decisionCell(iteration: Iteration, style: Style): Part {
  const { decision } = iteration;
  if (!decision) return iteration.interruptions > 0 ? tone("warn", "interrupted") : "";
  return `${decided(decision, style.glyphs).text}: ${decision.reason} (${score(decision.confidence)})`;
}

function agentCells(iteration: Iteration, style: Style): Part[] {
  const { agent, snapshot } = iteration;
  const files = snapshot && iteration.number > 0 ? String(snapshot.changeCount) : "";
  if (!agent) return [files, "", ""];
  const time = duration(agent.durationMs);
  const spent = agent.ok ? time : tone("bad", `${agent.failure ?? "crashed"} ${time}`);
  return [files, spent, money(agent.usage.costUsd, style.glyphs)];
}

/** Failing tests by iteration; undefined unless every scored iteration has a count. */
function failingCounts(run: Run, judged: readonly Iteration[]): ReadonlyMap<number, number> | undefined {
  const scored = judged.filter((each) => each.score !== undefined);
  const counts = scored.flatMap((each) => {
    const failing = failingOf(run, each);
    return failing ? [[each.number, failing.now] as const] : [];
  });
  return counts.length > 0 && counts.length === scored.length ? new Map(counts) : undefined;
}

/** Notes on iterations that the table does not show, such as refused actions and false claims. */
function noteRows(run: Run, { columns, style }: Screen): Part[][] {
  return run.iterations.flatMap((each) => {
    const claim = falseClaim(run, each);
    const notes = [
      ...(each.agent?.refused ?? []).slice(0, REFUSED_SHOWN).map((text) => `refused: ${text}`),
      ...(claim === undefined
        ? []
        : [`the agent said "${claim}", but these gates are red: ${describeRed(run, each, () => true)}`]),
    ];
    const head = tone("warn", `${style.glyphs.warning} iteration ${each.number}`);
    return notes.flatMap((note) => reasonRows(head, note, { columns, indent: "  " }));
  });
}

function cautionRows(run: Run, { columns, style }: Screen): Part[][] {
  return cautionsOf(run).flatMap((caution) =>
    reasonRows(tone("warn", `${style.glyphs.warning} caution`), caution, { columns, indent: "  " }),
  );
}

function iterationTable(run: Run, { style, columns }: Screen): string[] {
  const gates = run.task.gates.map((gate) => gate.name);
  const isWide = columns >= WIDE;
  const judged = [run.baseline, ...run.iterations].filter(
    (each) => each.number > 0 || each.verdicts.length > 0,
  );
  const counts = failingCounts(run, judged);
  const sum = (each: Iteration): string => {
    if (each.score === undefined) return "";
    return counts ? String(counts.get(each.number)) : score(each.score);
  };
  const titles = [
    "iteration",
    ...gates,
    counts ? "failing" : "score",
    ...(isWide ? ["files", "agent", "cost"] : []),
    "decision",
  ];
  const cells = (each: Iteration): Part[] => [
    each.number === 0 ? "baseline" : String(each.number),
    ...gates.map((gate) => gateCell(each, gate, style)),
    sum(each),
    ...(isWide ? agentCells(each, style) : []),
    decisionCell(each, style),
  ];
  if (judged.length === 0) return [];
  const rows = [headRow(titles), ...judged.map(cells)];
  return ["", ...table(rows, { style, columns: columns - 2 }).map((line) => `  ${line}`)];
}

/** Undone changes to protected files, by iteration. */
function undoneRows(run: Run, columns: number): Part[][] {
  const undone = run.iterations.filter(({ tampering }) => tampering?.action === "restore");
  return undone.flatMap((iteration) =>
    wrap(undoneLine(run.id, iteration), columns - 2, REASON_LINES).map((line, at) => [
      "  ",
      at === 0 ? tone("loud", line) : line,
    ]),
  );
}

export function summary(of: RunSummary, screen: Screen): string[] {
  const { run } = of;
  const { columns } = screen;
  const steps = nextSteps(run).map((step) => fact("next", ...stepParts(step, columns - LABEL - 2)));
  const notes = [...cautionRows(run, screen), ...noteRows(run, screen), ...undoneRows(run, columns)];
  const lines = (rows: readonly Part[][]): string[] => rows.map((parts) => render(parts, screen));
  return [
    ...lines(heading(of, columns)),
    "",
    ...lines(facts(of, screen)),
    ...iterationTable(run, screen),
    ...(notes.length > 0 ? ["", ...lines(notes)] : []),
    ...(steps.length > 0 ? ["", ...lines(steps)] : []),
  ];
}
