// Legend of the curve; each gate can be switched on and off.
import { SERIES_COLOURS } from "./chart.tsx";

export interface LegendProps {
  readonly gates: readonly string[];
  readonly hidden: ReadonlySet<number>;
  readonly onToggle: (at: number) => void;
}

export function Legend({ gates, hidden, onToggle }: LegendProps) {
  return (
    <fieldset class="chips legend">
      <legend class="visually-hidden">Lines of the curve</legend>
      {["overall", ...gates].map((name, at) => (
        <button
          key={name}
          type="button"
          class={`chip series-${at % SERIES_COLOURS}`}
          aria-pressed={!hidden.has(at)}
          onClick={() => onToggle(at)}
        >
          <span class="swatch" aria-hidden="true" />
          {name}
        </button>
      ))}
    </fieldset>
  );
}
