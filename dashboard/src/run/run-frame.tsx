// Frame around the views of a run: header and tabs, kept up to date.
import type { ComponentChildren } from "preact";
import { wordsOf } from "../api.ts";
import { useLiveRun } from "../live/live-run.ts";
import { Notice } from "../parts/notice.tsx";
import { RunContext } from "./run-context.ts";
import { RunHeader } from "./run-header.tsx";
import { RunTabs } from "./run-tabs.tsx";

export function RunFrame({ id, path, children }: { id: string; path: string; children: ComponentChildren }) {
  const { overview, receivedAt, refresh, error, connection } = useLiveRun(id);
  if (!overview) {
    return error ? (
      <Notice tone="bad" title={`Cannot show run ${id}`}>
        <p>{wordsOf(error)}</p>
        <p>
          <a href="#/">All runs</a>
        </p>
      </Notice>
    ) : (
      <p class="loading" role="status">
        Loading the run …
      </p>
    );
  }
  return (
    <RunContext.Provider value={{ overview, receivedAt, refresh }}>
      <RunHeader connection={connection} />
      <RunTabs id={id} path={path} />
      {children}
    </RunContext.Provider>
  );
}
