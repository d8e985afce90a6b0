// Prints a run in progress: as JSON lines, as plain lines, or as lines with a live panel below.

import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { newestLines } from "#views/log-files";
import { progressOf } from "#views/run-view";
import { eventLines } from "../output/event-lines.ts";
import { liveFrame } from "../output/live-frame.ts";
import { createPainter } from "../output/painter.ts";
import { oneLine } from "../output/spans.ts";
import { type Style, styleFor } from "../output/style.ts";
import { WAITS } from "../output/words.ts";
import { print, printJson, printNote } from "./messages.ts";

export interface Presenter {
  /** Prints a stored event. `run` is already folded with it. */
  event(event: RunEvent, run: Run): void;
  /** Prints a message that is not an event of the run. */
  note(text: string): void;
  close(): void;
}

const FRAME_MS = 120;
const ACTIVITY_LINES = 5;
/** Width of the output without a terminal. */
const PLAIN_COLUMNS = 100;

function jsonLines(): Presenter {
  return { event: (event) => printJson(event), note: printNote, close: () => {} };
}

function plainLines(style: Style, waits: () => boolean): Presenter {
  return {
    event: (event, run) => {
      for (const line of eventLines(event, run, { style, columns: PLAIN_COLUMNS })) print(line);
      if (event.type === "run.parked" && waits()) print(`  ${WAITS}`);
    },
    note: printNote,
    close: () => {},
  };
}

/** `waits` tells whether a process keeps waiting for the answer while the run is parked. */
function live(app: Context, style: Style, waits: () => boolean): Presenter {
  const stream = process.stdout;
  const painter = createPainter(stream);
  const screen = () => ({ style, columns: stream.columns || 80 });
  let shown: Run | undefined;
  let spinner = 0;
  const draw = () => {
    const isLive =
      shown?.state === "running" || shown?.state === "away" || (shown?.state === "waiting" && waits());
    if (!shown || !isLive) return painter.draw([]);
    painter.draw(
      liveFrame({
        ...screen(),
        run: shown,
        progress: progressOf(shown),
        activity: newestLines(app, shown, ACTIVITY_LINES),
        now: Date.now(),
        rows: stream.rows || 24,
        spinner: spinner++,
      }),
    );
  };
  const timer = setInterval(draw, FRAME_MS);
  return {
    event: (event, run) => {
      shown = run;
      // The panel shows what the run waits for, and disappears once there is an answer.
      if (event.type !== "run.parked" || !waits()) painter.log(eventLines(event, run, screen()));
      draw();
    },
    note: (text) => painter.log([oneLine(text)]),
    close: () => {
      clearInterval(timer);
      painter.clear();
    },
  };
}

export function presenterFor(app: Context, json: boolean, waits: () => boolean): Presenter {
  if (json) return jsonLines();
  const style = styleFor(process.stdout, process.env);
  return process.stdout.isTTY && process.env.TERM !== "dumb"
    ? live(app, style, waits)
    : plainLines(style, waits);
}
