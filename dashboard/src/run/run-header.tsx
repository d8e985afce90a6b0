// What a run is, in a few lines: its state, its title and why it stands where it stands.
import { Notice } from "../parts/notice.tsx";
import { StateBadge } from "../parts/state-badge.tsx";
import type { Connection } from "../stream.ts";
import { useRun } from "./run-context.ts";

export function RunHeader({ connection }: { connection: Connection }) {
  const { overview } = useRun();
  return (
    <header class="run-header">
      {connection === "reconnecting" && (
        <Notice tone="warn">
          <p role="status">Reconnecting … what you see may be out of date.</p>
        </Notice>
      )}
      <p class="run-line">
        <StateBadge state={overview.state} partial={overview.partial} />{" "}
        <span class="run-id">{overview.id}</span>
      </p>
      <h1>{overview.title || overview.id}</h1>
      {overview.reason && <p class="reason">{overview.reason}</p>}
    </header>
  );
}
