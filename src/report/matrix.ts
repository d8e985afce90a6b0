// Report section: table of gates by iterations, with the failures of each.

import type { GateCell, IterationRow, Overview } from "#spec/overview";
import type { Iteration } from "#spec/run";
import type { Failure, Verdict } from "#spec/verdict";
import { duration } from "#text/format";
import { head, plain } from "#text/plain-text";
import type { ReportFacts } from "./facts.ts";
import { escaped } from "./html/escaped.ts";
import { folded, said } from "./markup.ts";
import { measureOf, nameOf, SIGNS, standingOf } from "./words.ts";

const MAX_LISTED = 30;
const MESSAGE_CHARS = 1_500;
/** Failures are listed for this many iterations; for earlier ones the table shows only the number. */
const DETAILED_ITERATIONS = 40;

const anchorOf = (iteration: number, gate: number): string => `i${iteration}g${gate}`;

function cell(shown: GateCell | undefined, row: IterationRow, gate: number, detailed: boolean): string {
  if (!shown) return '<td class="none">·</td>';
  const carried = shown.carriedFrom === undefined ? "" : `, carried over from ${nameOf(shown.carriedFrom)}`;
  const title = `${shown.status}: ${shown.summary} (${duration(shown.durationMs)}${carried})`;
  const flaky = shown.flaky ? ' <abbr title="not every time it judged">~</abbr>' : "";
  const text = `<span class="sign">${SIGNS[shown.status]}</span> ${escaped(measureOf(shown))}`;
  const link = detailed && shown.failures > 0 ? `<a href="#${anchorOf(row.number, gate)}">${text}</a>` : text;
  return `<td class="${shown.status}" title="${said(title, 300)}">${link}${flaky}</td>`;
}

function matrix({ rows, task, best }: Overview, detailed: ReadonlySet<number>): string {
  const mark = (number: number) => (number === best?.iteration ? ' <span title="best">★</span>' : "");
  const head = rows.map(({ number }) => `<th scope="col">${nameOf(number)}${mark(number)}</th>`).join("");
  const body = task.gates.map(({ name }, gate) => {
    const cells = rows.map((row) =>
      cell(
        row.gates.find((one) => one.gate === name),
        row,
        gate,
        detailed.has(row.number),
      ),
    );
    return `<tr><th scope="row">${said(name, 60)}</th>${cells.join("")}</tr>`;
  });
  const scores = rows.map((row) => `<td>${standingOf(row)}</td>`).join("");
  const sum = `<tr class="sum"><th scope="row">overall</th>${scores}</tr>`;
  return `<div class="wide"><table class="matrix"><thead><tr><th></th>${head}</tr></thead><tbody>\n${[...body, sum].join("\n")}\n</tbody></table></div>`;
}

/** Message, expected and actual value as preformatted text. */
function failureText({ message, expected, actual }: Failure): string {
  const text = [
    message,
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(actual === undefined ? [] : [`actual:   ${actual}`]),
  ].join("\n");
  return `<pre>${escaped(head(plain(text), MESSAGE_CHARS))}</pre>`;
}

function failureItem(failure: Failure, before: ReadonlySet<string>): string {
  const { id, location, message } = failure;
  const newTag = id !== undefined && !before.has(id) ? ' <span class="tag">new</span>' : "";
  const where = location === undefined ? "" : ` <span class="soft">${said(location, 200)}</span>`;
  return `<li>${said(id ?? message.split("\n", 1)[0] ?? "", 300)}${newTag}${where}${failureText(failure)}</li>`;
}

function failuresOf(verdict: Verdict, before: ReadonlySet<string> | undefined): string {
  const { failures, tests } = verdict;
  const all = Math.max(tests?.failed ?? 0, failures.length);
  const known = before ?? new Set(failures.flatMap(({ id }) => id ?? []));
  const more = all - Math.min(failures.length, MAX_LISTED);
  const rest = more > 0 ? [`<li class="soft">and ${more} more</li>`] : [];
  return `<ul class="failures">${[...failures.slice(0, MAX_LISTED).map((one) => failureItem(one, known)), ...rest].join("\n")}</ul>`;
}

/** The failing tests of the gate's previous verdict; undefined when there is none. */
function failedBefore(
  iterations: readonly Iteration[],
  at: number,
  gate: string,
): ReadonlySet<string> | undefined {
  const judged = iterations
    .slice(0, at)
    .flatMap(({ verdicts }) => verdicts.filter((one) => one.gate === gate));
  const last = judged.at(-1);
  return last && new Set(last.verdict.failures.flatMap(({ id }) => id ?? []));
}

/** All failures of one iteration, per gate. */
function details(facts: ReportFacts, at: number): string[] {
  const iteration = facts.iterations[at];
  const failed = iteration?.verdicts.filter(({ verdict }) => verdict.failures.length > 0) ?? [];
  if (!iteration || failed.length === 0) return [];
  const gates = facts.overview.task.gates.map(({ name }) => name);
  const sizes = failed.map(
    ({ gate, verdict }) =>
      `${said(gate, 60)} ${Math.max(verdict.tests?.failed ?? 0, verdict.failures.length)}`,
  );
  const lists = failed.map(
    ({ gate, verdict }) =>
      `<h4 id="${anchorOf(iteration.number, gates.indexOf(gate))}">${said(gate, 60)}</h4>${failuresOf(verdict, failedBefore(facts.iterations, at, gate))}`,
  );
  const title = iteration.number === 0 ? "Base" : `Iteration ${iteration.number}`;
  const summary = `<strong>${title}</strong> <span class="soft">${sizes.join(" · ")}</span>`;
  return [folded(summary, lists.join("\n"), facts.final?.number === iteration.number)];
}

export function gateSection(facts: ReportFacts): string[] {
  const { overview, iterations } = facts;
  const from = Math.max(0, iterations.length - DETAILED_ITERATIONS);
  const detailed = new Set(iterations.slice(from).map(({ number }) => number));
  const lists = iterations.flatMap((_, at) => (at < from ? [] : details(facts, at)));
  const note =
    from > 0
      ? [`<p class="soft">Failures are listed for the last ${DETAILED_ITERATIONS} iterations.</p>`]
      : [];
  return [
    matrix(overview, detailed),
    ...(lists.length > 0 ? ["<h3>What failed</h3>", ...note, ...lists] : []),
  ];
}
