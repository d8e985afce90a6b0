// One verdict: a sign, and how much passes.
import { useMemo } from "preact/hooks";
import type { GateCell } from "#spec/overview";
import { cellWords, fraction, STATUS_SIGNS } from "../names.ts";
import { select } from "../selection.ts";

export interface CellProps {
  readonly iteration: number;
  readonly cell: GateCell;
  readonly chosen: boolean;
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
        <span class="visually-hidden">{cellWords(iteration, cell)} </span>
        <span aria-hidden="true">{STATUS_SIGNS[cell.status]} </span>
        {fraction(cell)}
        {cell.flaky && <span aria-hidden="true">~</span>}
      </button>
    );
  }, [iteration, cell, chosen]);
}
