// Convergence curve: the standing after each iteration, the decisions, and the best iteration.
import { useMemo, useRef, useState } from "preact/hooks";
import type { IterationRow } from "#spec/overview";
import {
  DECISION_WORDS,
  type DecisionKind,
  decisionKind,
  decisionSign,
  describeDecision,
  iterationName,
  iterationTitle,
  level,
  standing,
} from "#text/words";
import { useRun } from "../run-context.ts";
import { select, useSelection } from "../selection.ts";
import { Chart } from "./chart.tsx";
import { CurveTable } from "./curve-table.tsx";
import { Legend } from "./legend.tsx";
import { linesOf } from "./series.ts";

function describePoint(row: IterationRow): string {
  const { number, score, decision } = row;
  const decided = decision ? ` · ${describeDecision(decision)}: ${decision.reason}` : "";
  return `${iterationTitle(number)}: ${score === undefined ? "not judged" : standing(row)}${decided}`;
}

function labelOf(rows: readonly IterationRow[], best: number | undefined): string {
  const judged = rows.filter(({ score }) => score !== undefined);
  const [first, last] = [judged[0], judged.at(-1)];
  if (!first || !last) return "Convergence curve: no gate has judged yet";
  const from = `${level(first)} at ${iterationName(first.number)}`;
  const to = `${level(last)} at ${iterationName(last.number)}`;
  return `Convergence curve: from ${from} to ${to}${best === undefined ? "" : `, best at ${iterationName(best)}`}`;
}

const KINDS = Object.keys(DECISION_WORDS) as DecisionKind[];

export function Curve() {
  const { rows, task, best } = useRun().overview;
  const { iteration, chosen } = useSelection();
  const gates = useMemo(() => task.gates.map(({ name }) => name), [task]);
  const lines = useMemo(() => linesOf(rows, gates), [rows, gates]);
  const [hidden, setHidden] = useState<ReadonlySet<number>>(() => new Set(gates.map((_, at) => at + 1)));
  const [table, setTable] = useState(false);
  const readout = useRef<HTMLSpanElement>(null);
  const seen = useMemo(
    () => new Set(rows.flatMap(({ decision }) => (decision ? decisionKind(decision) : []))),
    [rows],
  );
  const label = useMemo(() => labelOf(rows, best?.iteration), [rows, best?.iteration]);
  const toggle = (at: number) =>
    setHidden((before) =>
      before.has(at) ? new Set([...before].filter((each) => each !== at)) : new Set([...before, at]),
    );
  return (
    <section class="card" aria-labelledby="curve-title">
      <div class="card-head">
        <h2 id="curve-title">Convergence</h2>
        <Legend gates={gates} hidden={hidden} onToggle={toggle} />
      </div>
      <Chart
        lines={lines}
        hidden={hidden}
        label={label}
        marks={{
          rows,
          unit: lines.unit,
          ...(best && { best: best.iteration }),
          ...(chosen && iteration !== undefined && { chosen: iteration }),
        }}
        onPoint={(at) => {
          const row = at === undefined ? undefined : rows[at];
          if (readout.current) readout.current.textContent = row ? describePoint(row) : "";
        }}
        onChoose={(at) => rows[at] && select(rows[at].number)}
      />
      <div class="card-foot soft">
        <span>★ best</span>
        {KINDS.filter((kind) => seen.has(kind)).map((kind) => (
          <span key={kind}>
            {decisionSign(kind)} {DECISION_WORDS[kind]}
          </span>
        ))}
        <button type="button" class="quiet small" aria-expanded={table} onClick={() => setTable(!table)}>
          {table ? "Hide the table" : "Show as a table"}
        </button>
        <span class="readout" ref={readout} aria-hidden="true" />
      </div>
      {table && <CurveTable rows={rows} />}
    </section>
  );
}
