// Timeline: what the time of a run was spent on.
import { useMemo, useRef, useState } from "preact/hooks";
import { duration, percent } from "#text/format";
import { iterationTitle } from "#text/words";
import { useEverySecond } from "../../clock.ts";
import { useRun } from "../run-context.ts";
import { select } from "../selection.ts";
import { type Placed, placed, totals, wholeOf } from "./spans.ts";
import { middleOf, type Stretch, zoomed } from "./stretch.ts";
import { Strip } from "./strip.tsx";

function describeSpan({ span, from, to }: Placed): string {
  return `${iterationTitle(span.iteration)}: ${span.gate ? `gate ${span.gate}` : span.kind}, ${duration(to - from)}`;
}

export function Timeline() {
  const { spans } = useRun().overview;
  const open = spans.at(-1)?.to === undefined;
  const now = useEverySecond(() => (open ? Math.floor(Date.now() / 1000) * 1000 : 0));
  const all = useMemo(() => placed(spans, now), [spans, now]);
  // Memoized: a new object would draw the strip again.
  const whole = useMemo(() => wholeOf(all), [all]);
  const [chosen, setChosen] = useState<Stretch>();
  const readout = useRef<HTMLSpanElement>(null);
  const stretch = chosen ?? whole;
  const sums = useMemo(() => totals(all), [all]);
  const sum = Math.max(1, whole.to - whole.from);
  const closer = (factor: number) => setChosen(zoomed(stretch, { factor, at: middleOf(stretch) }, whole));
  if (all.length === 0) return null;
  return (
    <section class="card" aria-labelledby="timeline-title">
      <div class="card-head">
        <h2 id="timeline-title">Timeline</h2>
        <span class="soft">{duration(stretch.to - stretch.from)}</span>
        <span class="timeline-buttons">
          <button type="button" class="small" aria-label="Zoom in" onClick={() => closer(0.5)}>
            +
          </button>
          <button type="button" class="small" aria-label="Zoom out" onClick={() => closer(2)}>
            −
          </button>
          <button type="button" class="small" onClick={() => setChosen(undefined)}>
            Show all
          </button>
        </span>
      </div>
      <Strip
        all={all}
        whole={whole}
        stretch={stretch}
        label={`Timeline: ${sums.map(([kind, ms]) => `${kind} ${duration(ms)}`).join(", ")}`}
        onStretch={setChosen}
        onPoint={(point) => {
          if (readout.current) readout.current.textContent = point ? describeSpan(point) : "";
        }}
        onChoose={({ span }) => select(span.iteration)}
      />
      <div class="card-foot">
        <ul class="spans">
          {sums.map(([kind, ms]) => (
            <li key={kind}>
              <span class={`swatch span-${kind}`} aria-hidden="true" />
              {kind} {duration(ms)} <span class="soft">({percent(ms / sum)})</span>
            </li>
          ))}
        </ul>
        <span class="readout soft" ref={readout} aria-hidden="true" />
      </div>
    </section>
  );
}
