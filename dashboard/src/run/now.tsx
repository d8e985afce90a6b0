// What the run is at, this moment.
import { useEverySecond } from "../clock.ts";
import { duration } from "../format.ts";
import { useRun } from "./run-context.ts";

const WORDS = {
  snapshot: "taking a snapshot",
  agent: "the agent works",
  away: "the agent works in its own session",
  delayed: "the agent comes back later",
  gate: "judging",
  decision: "deciding",
  waiting: "waiting for a person",
  paused: "paused",
  ended: "",
} as const;

export function Now() {
  const { state, progress, iterations } = useRun().overview;
  const { name, gate, since } = progress.phase;
  const time = useEverySecond(() =>
    duration(Math.max(0, Date.now() - Date.parse(since)) + 999).replace(/\.\d/, ""),
  );
  if (state !== "running" && state !== "away" && state !== "waiting") return null;
  const what = name === "gate" && gate ? `gate ${gate} judges` : WORDS[name];
  return (
    <p class="now">
      {iterations === 0 ? "Baseline" : `Iteration ${iterations}`}: {what}
      {name !== "delayed" && <span class="soft"> for {time}</span>}
    </p>
  );
}
