// One log in a scroll box that follows the newest rows until the user scrolls up.
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { wordsOf } from "../api.ts";
import { rowsWith, step } from "./find.ts";
import { FindBar } from "./find-bar.tsx";
import { spaceOf } from "./geometry.ts";
import { LogRows } from "./log-rows.tsx";
import type { Source } from "./reader.ts";
import { type LogInView, ROW, useLog } from "./use-log.ts";
import { useRestOfPage } from "./use-rest-of-page.ts";
import { end, start } from "./window.ts";

export interface LogPaneProps {
  readonly name: string;
  readonly source: Source;
  /** The log may still grow. */
  readonly live: boolean;
}

const SAMPLE = "x".repeat(50);
const PADDING = 24;

interface Fit extends Pick<LogInView, "box" | "lay" | "moved"> {
  /** Holds the sample whose width tells the width of a character. */
  readonly ruler: RefObject<HTMLSpanElement | null>;
  readonly wrap: boolean;
}

/** Lays out the rows for the width of the box, now and after each resize, until the returned function is called. */
function fitToBox({ box, ruler, wrap, lay, moved }: Fit): () => void {
  const fit = () => {
    const width = (ruler.current?.getBoundingClientRect().width ?? 0) / SAMPLE.length || 8;
    lay({ wrap, columns: Math.floor(((box.current?.clientWidth ?? 640) - PADDING) / width) });
    moved();
  };
  fit();
  const observer = new ResizeObserver(fit);
  if (box.current) observer.observe(box.current);
  return () => observer.disconnect();
}

interface LogBoxProps extends Pick<LogInView, "box"> {
  readonly name: string;
  readonly height: number;
  readonly onScroll: () => void;
  readonly children: ComponentChildren;
}

function LogBox({ box, name, height, onScroll, children }: LogBoxProps) {
  return (
    <div
      ref={box}
      class="log-box"
      style={{ height: `${height}px` }}
      role="log"
      aria-live="off"
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the box scrolls, so the keyboard must reach it.
      tabIndex={0}
      onScroll={onScroll}
    >
      {children}
    </div>
  );
}

function WrapLines({ wrap, onChange }: { wrap: boolean; onChange: (wrap: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={wrap} onChange={(event) => onChange(event.currentTarget.checked)} />
      Wrap long lines
    </label>
  );
}

function JumpToEnd({ live, onClick }: { live: boolean; onClick: () => void }) {
  return (
    <button type="button" class="log-newest" onClick={onClick}>
      <span aria-hidden="true">↓ </span>
      {live ? "Jump to newest" : "Jump to the end"}
    </button>
  );
}

export function LogPane({ name, source, live }: LogPaneProps) {
  const { box, reading, view, moved, toEnd, scrollTo, lay } = useLog(source, live);
  const ruler = useRef<HTMLSpanElement>(null);
  const [wrap, setWrap] = useState(false);
  const [find, setFind] = useState("");
  const [current, setCurrent] = useState("");
  const { window, following, known, error } = reading;
  const height = useRestOfPage(box);

  useEffect(() => fitToBox({ box, ruler, wrap, lay, moved }), [wrap, lay, moved, box]);

  const found = useMemo(() => rowsWith(window, find), [window, find]);
  const at = found.findIndex(({ key }) => key === current);
  const stepBy = (by: 1 | -1) => {
    const { above } = spaceOf(window, ROW);
    const next = step(found, by, { current: at, visible: (view.top - above) / ROW });
    if (!next) return;
    setCurrent(next.key);
    scrollTo(Math.max(above + next.at * ROW - view.height / 2, 0));
  };

  const whole = start(window) === 0 && end(window) === window.bytes;
  const empty = known && window.pieces.length === 0;
  return (
    <div class="log-pane">
      <div class="log-tools">
        <FindBar
          text={find}
          found={found.length}
          at={Math.max(at, 0)}
          whole={whole}
          onText={(text) => {
            setFind(text);
            setCurrent("");
          }}
          onStep={stepBy}
        />
        <WrapLines wrap={wrap} onChange={setWrap} />
      </div>
      {error !== undefined && (
        <p class="error-words" role="alert">
          {wordsOf(error)}
        </p>
      )}
      <div class="log-frame">
        <LogBox box={box} name={name} height={height} onScroll={moved}>
          {empty && error === undefined && (
            <p class="log-empty soft">{live ? "No output yet." : "No output."}</p>
          )}
          <LogRows window={window} view={view} find={find} current={current} />
          <span ref={ruler} class="log-ruler" aria-hidden="true">
            {SAMPLE}
          </span>
        </LogBox>
        {!following && <JumpToEnd live={live} onClick={toEnd} />}
      </div>
    </div>
  );
}
