// Matrix of gates by iterations. Columns out of sight are not drawn, so even 20,000 columns are fast.
import { useEffect, useRef } from "preact/hooks";
import type { IterationRow } from "#spec/overview";
import { iterationLabel, level } from "#text/words";
import { useRun } from "../run-context.ts";
import { select, useSelection } from "../selection.ts";
import { Cell } from "./cell.tsx";
import { useWindow } from "./use-window.ts";

const COLUMN = 92;

/** Scrolls to the selected column if it is not visible. */
function useShown(box: { current: HTMLElement | null }, place: number): void {
  useEffect(() => {
    const { current } = box;
    if (!current || place < 0) return;
    const name = (current.querySelector("thead th") as HTMLElement | null)?.offsetWidth ?? 0;
    const [left, room] = [place * COLUMN, current.clientWidth - name];
    if (left < current.scrollLeft || left + COLUMN > current.scrollLeft + room)
      current.scrollLeft = Math.max(0, left - room / 2);
  }, [box, place]);
}

function Heads({ rows, iteration }: { rows: readonly IterationRow[]; iteration: number | undefined }) {
  return (
    <>
      {rows.map((row) => (
        <th key={row.number} scope="col">
          <button
            type="button"
            class="cell head"
            aria-pressed={row.number === iteration}
            onClick={() => select(row.number)}
          >
            {row.number > 0 && <span class="visually-hidden">Iteration </span>}
            <strong>{iterationLabel(row.number)}</strong> <span class="head-score">{level(row)}</span>
          </button>
        </th>
      ))}
    </>
  );
}

export function Matrix() {
  const { rows, task } = useRun().overview;
  const { iteration, gate: chosenGate, chosen } = useSelection();
  const box = useRef<HTMLDivElement>(null);
  const { from, to } = useWindow(box, COLUMN, rows.length);
  useShown(box, chosen ? rows.findIndex(({ number }) => number === iteration) : -1);
  const shown = rows.slice(from, to);
  const [before, after] = [from * COLUMN, (rows.length - to) * COLUMN];
  return (
    <section class="card" aria-labelledby="matrix-title">
      <h2 id="matrix-title">Gates by iteration</h2>
      <div class="matrix" ref={box}>
        <table aria-colcount={rows.length + 1}>
          <colgroup>
            <col class="gate-column" />
            <col style={{ width: `${before}px` }} />
            {shown.map(({ number }) => (
              <col key={number} style={{ width: `${COLUMN}px` }} />
            ))}
            <col style={{ width: `${after}px` }} />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">Gate</th>
              <td />
              <Heads rows={shown} iteration={iteration} />
              <td />
            </tr>
          </thead>
          <tbody>
            {task.gates.map(({ name }) => (
              <tr key={name}>
                <th scope="row" title={name}>
                  {name}
                </th>
                <td />
                {shown.map(({ number, gates }) => {
                  const cell = gates.find(({ gate }) => gate === name);
                  const pressed = number === iteration && name === chosenGate;
                  return (
                    <td key={number}>{cell && <Cell iteration={number} cell={cell} chosen={pressed} />}</td>
                  );
                })}
                <td />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
