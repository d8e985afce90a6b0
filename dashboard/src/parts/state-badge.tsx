// The state of a run: a sign, a word and a colour, so that none of them is needed alone.
import type { StateWord } from "#spec/overview";
import { stateName } from "../format.ts";

const SIGNS: Readonly<Record<StateWord, string>> = {
  running: "▶",
  paused: "‖",
  waiting: "?",
  away: "↗",
  queued: "…",
  interrupted: "!",
  tampered: "‼",
  converged: "✓",
  diverged: "✗",
  stopped: "■",
  blocked: "⊘",
  error: "!",
};

export function StateBadge({ state, partial = false }: { state: StateWord; partial?: boolean }) {
  return (
    <span class={`badge state-${state}`}>
      <span aria-hidden="true">{SIGNS[state]} </span>
      {stateName(state)}
      {partial && " (partial)"}
    </span>
  );
}
