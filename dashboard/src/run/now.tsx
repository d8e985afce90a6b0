// What the run is doing now.
import { duration } from "#text/format";
import { iterationTitle } from "#text/words";
import { useEverySecond } from "../clock.ts";
import { useRun } from "./run-context.ts";

const SECOND = 1000;

const PHASES = {
  snapshot: "taking a snapshot",
  agent: "the agent is working",
  away: "the agent is working in its own session",
  delayed: "the agent waits before it continues",
  gate: "the gates are judging",
  decision: "deciding",
  waiting: "waiting for a person",
  paused: "paused",
  ended: "",
} as const;

export function Now() {
  const { state, progress, iterations } = useRun().overview;
  const { name, gate, since } = progress.phase;
  const time = useEverySecond(() => duration(Math.floor((Date.now() - Date.parse(since)) / SECOND) * SECOND));
  if (state !== "running" && state !== "away" && state !== "waiting") return null;
  const what = name === "gate" && gate ? `gate ${gate} is judging` : PHASES[name];
  return (
    <p class="now">
      {iterationTitle(iterations)}: {what}
      {name !== "delayed" && <span class="soft"> for {time}</span>}
    </p>
  );
}
