// The state of a run as sign, word and colour, so that no reader depends on one of them alone.
import type { StateWord } from "#spec/overview";
import { stateName, stateSign } from "#text/words";

export function StateBadge({ state, partial = false }: { state: StateWord; partial?: boolean }) {
  return (
    <span class={`badge state-${state}`}>
      <span aria-hidden="true">{stateSign(state)} </span>
      {stateName(state, partial)}
    </span>
  );
}
