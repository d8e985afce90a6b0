// Report section: table of gates by iterations, with the failures of each.

import type { GateCell, IterationRow, Overview } from "#spec/overview";
import type { Iteration } from "#spec/run";
import type { Failure, Verdict } from "#spec/verdict";
import { duration } from "#text/format";
import { head, plain } from "#text/plain-text";
import { iterationLabel, iterationName, iterationTitle, level, measure, verdictSign } from "#text/words";
import type { ReportFacts } from "./facts.ts";
import { folded, line } from "./html/blocks.ts";
import { type Child, type Html, html } from "./html/html.ts";

const MAX_LISTED = 30;
const MESSAGE_CHARS = 1_500;
/** Failures are listed for this many iterations; for earlier ones the table shows only the number. */
const DETAILED_ITERATIONS = 40;

const anchorOf = (iteration: number, gate: number): string => `i${iteration}g${gate}`;

/** The matrix itself, and which of its iterations have their failures listed below it. */
interface Matrix {
  readonly overview: Overview;
  readonly detailed: ReadonlySet<number>;
}

const isUnjudged = ({ status }: GateCell): boolean => status === "skipped" || status === "waiting";

function cellOf({ overview, detailed }: Matrix, row: IterationRow, gate: number): Html {
  const shown = row.gates.find((one) => one.gate === overview.task.gates[gate]?.name);
  if (!shown) return html`<td class="none">·</td>`;
  const carried =
    shown.carriedFrom === undefined ? "" : `, carried over from ${iterationName(shown.carriedFrom)}`;
  const title = `${shown.status}: ${shown.summary} (${duration(shown.durationMs)}${carried})`;
  const words = isUnjudged(shown) ? shown.status : measure(shown);
  const text = html`<span class="sign">${verdictSign(shown.status)}</span> ${words}`;
  const isListed = detailed.has(row.number) && shown.failures > 0;
  return html`<td class="${shown.status}" title="${line(title, 300)}">${isListed ? html`<a href="#${anchorOf(row.number, gate)}">${text}</a>` : text}${shown.flaky && html` <abbr title="repeated judgements differed">~</abbr>`}</td>`;
}

function matrixTable(matrix: Matrix): Html {
  const { rows, task, best } = matrix.overview;
  const head = rows.map(
    ({ number }) =>
      html`<th scope="col">${iterationLabel(number)}${number === best?.iteration && html` <span title="best">★</span>`}</th>`,
  );
  const body = task.gates.map(
    ({ name }, gate) =>
      html`<tr><th scope="row">${line(name, 60)}</th>${rows.map((row) => cellOf(matrix, row, gate))}</tr>
`,
  );
  const levels = rows.map((row) => html`<td>${level(row)}</td>`);
  return html`<div class="wide"><table class="matrix"><thead><tr><th></th>${head}</tr></thead><tbody>
${body}<tr class="sum"><th scope="row">overall</th>${levels}</tr>
</tbody></table></div>`;
}

/** Message, expected and actual value as preformatted text. */
function failureText({ message, expected, actual }: Failure): Html {
  const text = [
    message,
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(actual === undefined ? [] : [`actual:   ${actual}`]),
  ].join("\n");
  return html`<pre>${head(plain(text), MESSAGE_CHARS)}</pre>`;
}

function failureItem(failure: Failure, before: ReadonlySet<string>): Html {
  const { id, location, message } = failure;
  const isNew = id !== undefined && !before.has(id);
  const where = location !== undefined && html` <span class="soft">${line(location, 200)}</span>`;
  return html`<li>${line(id ?? message.split("\n", 1)[0] ?? "", 300)}${isNew && html` <span class="tag">new</span>`}${where}${failureText(failure)}</li>
`;
}

const failureCount = ({ failures, tests }: Verdict): number => Math.max(tests?.failed ?? 0, failures.length);

function failuresOf(verdict: Verdict, before: ReadonlySet<string> | undefined): Html {
  const { failures } = verdict;
  const known = before ?? new Set(failures.flatMap(({ id }) => id ?? []));
  const shown = failures.slice(0, MAX_LISTED);
  const more = failureCount(verdict) - shown.length;
  return html`<ul class="failures">${shown.map((one) => failureItem(one, known))}${more > 0 && html`<li class="soft">and ${more} more</li>`}</ul>`;
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
function details(facts: ReportFacts, at: number): Html[] {
  const iteration = facts.iterations[at];
  const failed = iteration?.verdicts.filter(({ verdict }) => verdict.failures.length > 0) ?? [];
  if (!iteration || failed.length === 0) return [];
  const gates = facts.overview.task.gates.map(({ name }) => name);
  const sizes = failed.map(({ gate, verdict }) => `${line(gate, 60)} ${failureCount(verdict)}`);
  const lists = failed.map(
    ({ gate, verdict }) =>
      html`<h4 id="${anchorOf(iteration.number, gates.indexOf(gate))}">${line(gate, 60)}</h4>${failuresOf(verdict, failedBefore(facts.iterations, at, gate))}`,
  );
  const summary = html`<strong>${iterationTitle(iteration.number)}</strong> <span class="soft">${sizes.join(" · ")}</span>`;
  return [folded(summary, lists, facts.final?.number === iteration.number)];
}

export function gateSection(facts: ReportFacts): Child {
  const { overview, iterations } = facts;
  const from = Math.max(0, iterations.length - DETAILED_ITERATIONS);
  const detailed = new Set(iterations.slice(from).map(({ number }) => number));
  const lists = iterations.flatMap((_, at) => (at < from ? [] : details(facts, at)));
  const note =
    from > 0 && html`<p class="soft">Failures are listed for the last ${DETAILED_ITERATIONS} iterations.</p>`;
  return [matrixTable({ overview, detailed }), lists.length > 0 && [html`<h3>What failed</h3>`, note, lists]];
}
