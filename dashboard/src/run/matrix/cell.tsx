// One verdict in the matrix: its sign and its measure.
import { useMemo } from "preact/hooks";
import type { GateCell } from "#spec/overview";
import { iterationName, iterationTitle, measure, verdictSign } from "#text/words";
import { select } from "../selection.ts";

export interface CellProps {
  readonly iteration: number;
  readonly cell: GateCell;
  readonly chosen: boolean;
}

/** The cell for screen readers; its measure follows. */
function describeCell(iteration: number, { gate, status, carriedFrom, flaky }: GateCell): string {
  const carried = carriedFrom === undefined ? "" : `, carried over from ${iterationName(carriedFrom)}`;
  return `${iterationTitle(iteration)}, ${gate}: ${status}${carried}${flaky ? ", flaky" : ""}`;
}

export function Cell({ iteration, cell, chosen }: CellProps) {
  return useMemo(() => {
    const carried = cell.carriedFrom === undefined ? "" : " carried";
    return (
      <button
        type="button"
        class={`cell status-${cell.status}${carried}`}
        aria-pressed={chosen}
        title={cell.summary}
        onClick={() => select(iteration, cell.gate)}
      >
        <span class="visually-hidden">{describeCell(iteration, cell)} </span>
        <span aria-hidden="true">{verdictSign(cell.status)} </span>
        {measure(cell)}
        {cell.flaky && <span aria-hidden="true">~</span>}
      </button>
    );
  }, [iteration, cell, chosen]);
}
