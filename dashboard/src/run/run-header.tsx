// Header of a run: state, title, reason, current activity, budget and actions.
import { useEffect } from "preact/hooks";
import { standing, stateName } from "#text/words";
import { Ago } from "../parts/ago.tsx";
import { Notice } from "../parts/notice.tsx";
import { StateBadge } from "../parts/state-badge.tsx";
import type { Connection } from "../stream.ts";
import { ActionBar } from "./actions/action-bar.tsx";
import { Waiting } from "./actions/waiting.tsx";
import { Budget } from "./budget.tsx";
import { Now } from "./now.tsx";
import { useRun } from "./run-context.ts";

function Facts() {
  const { overview } = useRun();
  return (
    <p class="run-facts soft">
      <span>{overview.agent}</span>
      <span>strategy {overview.strategy}</span>
      <span>
        started <Ago time={overview.startedAt} />
      </span>
      <span title={overview.workspace}>{overview.workspace}</span>
    </p>
  );
}

export function RunHeader({ connection }: { connection: Connection }) {
  const { overview } = useRun();
  const { state, partial, gatesPassed, gatesTotal } = overview;
  useEffect(() => {
    document.title = `${stateName(state, partial)}: ${overview.title || overview.id} · Converge`;
  }, [state, partial, overview.title, overview.id]);
  return (
    <header class="run-header">
      <div role="status">
        {connection === "reconnecting" && (
          <Notice tone="warn">
            <p>Reconnecting … what you see may be out of date.</p>
          </Notice>
        )}
      </div>
      <p class="run-line">
        <StateBadge state={state} partial={partial} />
        <span class="mono soft">{overview.id}</span>
      </p>
      <h1>{overview.title || overview.id}</h1>
      {overview.reason && state !== "waiting" && <p class="reason">{overview.reason}</p>}
      {overview.cautions.map((text) => (
        <Notice tone="warn" key={text}>
          <p>{text}</p>
        </Notice>
      ))}
      <Now />
      <Facts />
      <div class="run-numbers">
        <p class="big-score">
          <strong>{standing(overview)}</strong>
          <span class="soft">
            {gatesPassed} of {gatesTotal} gates pass
          </span>
        </p>
        <Budget />
      </div>
      <ActionBar />
      <Waiting />
    </header>
  );
}
