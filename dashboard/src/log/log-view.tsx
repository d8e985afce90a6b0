// What agents and gates of a run print, as they print it.
import "./log.css";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { IterationDetail, LogPiece } from "#spec/overview";
import { get, runPath, query as search, wordsOf } from "../api.ts";
import { bytes } from "../format.ts";
import { Notice } from "../parts/notice.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { setQuery } from "../router.ts";
import { offered } from "../run/offered.ts";
import { useRun } from "../run/run-context.ts";
import type { ViewProps } from "../views.ts";
import { LogPane } from "./log-pane.tsx";
import { atWork, keyOf, pick } from "./pick.ts";

const LOOK_MS = 2000;

/** A number that grows while somebody works: logs begin without an event. */
function useTick(on: boolean): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => setTick((count) => count + 1), LOOK_MS);
    return () => clearInterval(timer);
  }, [on]);
  return tick;
}

const nameOf = (number: number) => (number === 0 ? "Baseline" : `Iteration ${number}`);

export default function LogView({ query }: ViewProps) {
  const { overview } = useRun();
  const { id, progress } = overview;
  const wanted = query.get("iteration");
  const number = wanted === null ? progress.iteration : Number(wanted);
  const live = atWork(overview) === number;
  const tick = useTick(live);
  const path = runPath(id, `/iterations/${number}`);
  const { value: detail, error } = useAnswer<IterationDetail>(path, `${overview.seq} ${tick}`);
  const logs = detail?.logs ?? [];
  const log = pick(logs, query.get("log"), overview, live);
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
        <label>
          <span class="visually-hidden">Iteration</span>
          <select
            value={String(number)}
            onChange={(event) => setQuery({ iteration: event.currentTarget.value, log: undefined })}
          >
            {numbers.map((one) => (
              <option key={one} value={String(one)}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="visually-hidden">Who printed it</span>
          <select
            value={log ? keyOf(log) : ""}
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
          name={`${nameOf(number)}: ${part}, ${stream}`}
          source={source}
          live={live}
        />
      ) : (
        detail && (
          <p class="soft">
            {live ? "Nothing was printed yet; it appears here when it is." : "Nothing was printed."}
          </p>
        )
      )}
    </section>
  );
}
