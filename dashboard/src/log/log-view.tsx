// View: the output of the agents and gates of a run, live.
import "./log.css";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { IterationDetail, LogEntry, LogPiece } from "#spec/overview";
import { bytes } from "#text/format";
import { iterationTitle } from "#text/words";
import { get, runPath, query as search, wordsOf } from "../api.ts";
import { Notice } from "../parts/notice.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { setQuery } from "../router.ts";
import { offered } from "../run/offered.ts";
import { useRun } from "../run/run-context.ts";
import type { ViewProps } from "../views.ts";
import { LogPane } from "./log-pane.tsx";
import { atWork, keyOf, pick } from "./pick.ts";

const POLL_MS = 2000;

/** Counts up while the iteration is active: a new log has no event that announces it. */
function useTick(active: boolean): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => setTick((count) => count + 1), POLL_MS);
    return () => clearInterval(timer);
  }, [active]);
  return tick;
}

function ChooseIteration({ numbers, value }: { numbers: readonly number[]; value: number }) {
  return (
    <label>
      <span class="visually-hidden">Iteration</span>
      <select
        value={String(value)}
        onChange={(event) => setQuery({ iteration: event.currentTarget.value, log: undefined })}
      >
        {numbers.map((one) => (
          <option key={one} value={String(one)}>
            {iterationTitle(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

function ChooseLog({ logs, value }: { logs: readonly LogEntry[]; value: LogEntry | undefined }) {
  return (
    <label>
      <span class="visually-hidden">Log</span>
      <select
        value={value ? keyOf(value) : ""}
        disabled={logs.length === 0}
        onChange={(event) => setQuery({ log: event.currentTarget.value })}
      >
        {logs.map((one) => (
          <option key={keyOf(one)} value={keyOf(one)}>
            {one.part} · {one.stream} · {bytes(one.bytes)}
          </option>
        ))}
      </select>
    </label>
  );
}

export default function LogView({ query }: ViewProps) {
  const { overview } = useRun();
  const { id, progress } = overview;
  const chosen = query.get("iteration");
  const number = chosen === null ? progress.iteration : Number(chosen);
  const live = atWork(overview) === number;
  const tick = useTick(live);
  const path = runPath(id, `/iterations/${number}`);
  const { value: detail, error } = useAnswer<IterationDetail>(path, `${overview.seq} ${tick}`);
  const logs = detail?.logs ?? [];
  const log = pick(logs, query.get("log"), live ? progress.phase : undefined);
  const { part, stream } = log ?? { part: "agent", stream: "stdout" };
  const source = useMemo(
    () => (from: number, size: number) =>
      get<LogPiece>(`${path}/log${search({ part, stream, from, bytes: size })}`),
    [path, part, stream],
  );
  const all = Array.from({ length: progress.iteration + 1 }, (_, at) => progress.iteration - at);
  const numbers = offered(all, number);
  return (
    <section class="card log-view" aria-labelledby="log-title">
      <div class="log-head">
        <h2 id="log-title">Output</h2>
        <ChooseIteration numbers={numbers} value={number} />
        <ChooseLog logs={logs} value={log} />
        {live && <span class="live-mark">live</span>}
      </div>
      {error !== undefined && !detail && (
        <Notice tone="bad">
          <p>{wordsOf(error)}</p>
        </Notice>
      )}
      {log ? (
        <LogPane
          key={`${number} ${keyOf(log)}`}
          name={`${iterationTitle(number)}: ${part}, ${stream}`}
          source={source}
          live={live}
        />
      ) : (
        detail && <p class="soft">{live ? "No output yet. It appears here live." : "No output."}</p>
      )}
    </section>
  );
}
