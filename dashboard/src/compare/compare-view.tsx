// View: two runs side by side: curves, numbers, gates and differing settings.
import "./compare.css";
import type { Overview, Summary } from "#spec/overview";
import { runPath, wordsOf } from "../api.ts";
import { Notice } from "../parts/notice.tsx";
import { ScrollBox } from "../parts/scroll-box.tsx";
import { StateBadge } from "../parts/state-badge.tsx";
import { type Answer, useAnswer } from "../parts/use-answer.ts";
import { href, setQuery } from "../router.ts";
import type { ViewProps } from "../views.ts";
import { ChooseRun } from "./choose-run.tsx";
import { Curves } from "./curves.tsx";
import { Gates, Measures, Settings } from "./tables.tsx";

const LISTED = "/runs?limit=100";

function useOverview(id: string): Answer<Overview> {
  return useAnswer<Overview>(id === "" ? undefined : runPath(id));
}

function Chosen({ mark, run }: { mark: "a" | "b"; run: Overview }) {
  return (
    <p class="compare-run">
      <span class={`mark-${mark}`}>{mark.toUpperCase()}</span>{" "}
      <StateBadge state={run.state} partial={run.partial} />{" "}
      <a href={href("runs", run.id)}>{run.title || run.id}</a>
    </p>
  );
}

function Comparison(both: { a: Overview; b: Overview }) {
  return (
    <div class="compare">
      <section class="card" aria-labelledby="compare-curves">
        <h2 id="compare-curves">Scores by iteration</h2>
        <Chosen mark="a" run={both.a} />
        <Chosen mark="b" run={both.b} />
        <Curves {...both} />
      </section>
      <section class="card" aria-labelledby="compare-numbers">
        <h2 id="compare-numbers">Numbers</h2>
        <Measures {...both} />
      </section>
      <section class="card compare-wide" aria-labelledby="compare-gates">
        <h2 id="compare-gates">Gates by iteration</h2>
        <ScrollBox class="compare-scroll" label="Table of gates by iteration">
          <Gates {...both} />
        </ScrollBox>
      </section>
      <section class="card compare-wide" aria-labelledby="compare-settings">
        <h2 id="compare-settings">Settings that differ</h2>
        <Settings {...both} />
      </section>
    </div>
  );
}

export default function CompareView({ query }: ViewProps) {
  const [idA, idB] = [query.get("a") ?? "", query.get("b") ?? ""];
  const { value: listed } = useAnswer<{ runs: readonly Summary[] }>(LISTED);
  const { value: a, error: errorA } = useOverview(idA);
  const { value: b, error: errorB } = useOverview(idB);
  const runs = listed?.runs ?? [];
  const both = idA !== "" && idB !== "" && a && b && { a, b };
  return (
    <>
      <h1>Compare two runs</h1>
      <div class="row compare-choose">
        <ChooseRun label="Run A" runs={runs} value={idA} onChange={(id) => setQuery({ a: id })} />
        <button type="button" onClick={() => setQuery({ a: idB, b: idA })} disabled={idA === idB}>
          Swap
        </button>
        <ChooseRun label="Run B" runs={runs} value={idB} onChange={(id) => setQuery({ b: id })} />
      </div>
      {[errorA, errorB].map(
        (error, at) =>
          error !== undefined && (
            <Notice key={at} tone="bad">
              <p>{wordsOf(error)}</p>
            </Notice>
          ),
      )}
      {listed && runs.length < 2 && (
        <Notice tone="plain" title="Nothing to compare yet">
          <p>
            You need two runs, ideally of the same task with a different agent, strategy or prompt.{" "}
            <a href="#/new">Start a run</a>
          </p>
        </Notice>
      )}
      {listed && runs.length >= 2 && !both && errorA === undefined && errorB === undefined && (
        <p class="soft">
          Choose two runs, ideally of the same task with a different agent, strategy or prompt.
        </p>
      )}
      {both && <Comparison {...both} />}
    </>
  );
}
