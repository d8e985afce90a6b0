// View: a run with its curve, gates, timeline and one iteration in detail.
import { Notice } from "../parts/notice.tsx";
import { useShortcuts } from "../shortcuts.ts";
import { About } from "./about/about.tsx";
import { Curve } from "./curve/curve.tsx";
import { IterationPanel } from "./iteration/iteration-panel.tsx";
import { Matrix } from "./matrix/matrix.tsx";
import { useRun } from "./run-context.ts";
import { select, useSelection } from "./selection.ts";
import { Timeline } from "./timeline/timeline.tsx";

function NothingYet() {
  return (
    <Notice tone="plain" title="No verdict yet">
      <p>The gates judge the untouched workspace first, then the agent starts. This page updates live.</p>
    </Notice>
  );
}

export default function RunView() {
  const { rows, best } = useRun().overview;
  const { iteration } = useSelection();
  const step = (by: 1 | -1) => {
    const next = rows[rows.findIndex(({ number }) => number === iteration) + by];
    if (next) select(next.number);
  };
  useShortcuts([
    { key: "j", does: "next iteration", run: () => step(1) },
    { key: "k", does: "previous iteration", run: () => step(-1) },
    { key: "b", does: "best iteration", run: () => best && select(best.iteration) },
    { key: "l", does: "last iteration", run: () => rows.length > 0 && select(rows.at(-1)?.number ?? 0) },
  ]);
  return (
    <div class="run-view">
      <div class="run-main">
        {rows.length > 0 ? (
          <>
            <Curve />
            <Matrix />
          </>
        ) : (
          <NothingYet />
        )}
        <Timeline />
        {iteration !== undefined && <IterationPanel key={iteration} number={iteration} />}
      </div>
      <aside aria-label="About this run">
        <About />
      </aside>
    </div>
  );
}
