// View: what a run changed, in one iteration, as a whole, or between two snapshots.
import "./diff.css";
import { useState } from "preact/hooks";
import { runPath } from "../api.ts";
import { Failure } from "../parts/failure.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { useRun } from "../run/run-context.ts";
import type { ViewProps } from "../views.ts";
import { choiceIn, diffQuery, ofNow, wordsFor } from "./choice.ts";
import { ChooseDiff } from "./choose.tsx";
import { Diff } from "./diff.tsx";

interface DiffAnswer {
  readonly diff: string;
  readonly truncated: boolean;
}

export default function DiffView({ query }: ViewProps) {
  const { overview } = useRun();
  const choice = choiceIn(query);
  const taken = overview.rows.flatMap(({ number, tree }) =>
    number > 0 && tree !== undefined ? [number] : [],
  );
  const path = runPath(overview.id, `/diff${diffQuery(choice)}`);
  const [looks, setLooks] = useState(0);
  const { value, error, busy, path: answered } = useAnswer<DiffAnswer>(path, `${taken.length} ${looks}`);
  const words = wordsFor(choice);
  return (
    <section class="card diff-view" aria-label={`Changes of ${words}`}>
      <div class="diff-head">
        <h2 id="diff-title">Changes</h2>
        <ChooseDiff choice={choice} iterations={taken} />
        {ofNow(choice) && (
          <button type="button" disabled={busy} onClick={() => setLooks(looks + 1)}>
            Refresh
          </button>
        )}
        {busy && (
          <span class="soft" role="status">
            Comparing …
          </span>
        )}
      </div>
      <Failure error={error} />
      {value && (
        <Diff key={`${answered} ${value.diff.length}`} diff={value.diff} truncated={value.truncated} />
      )}
    </section>
  );
}
