// Prints a run in progress: as JSON lines, as plain lines, or as lines with a live panel below.

import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { newestLines } from "#views/log-files";
import { progressOf } from "#views/run-view";
import { frame } from "../output/frame.ts";
import { lines } from "../output/lines.ts";
import { createPainter } from "../output/painter.ts";
import { oneLine } from "../output/spans.ts";
import { type Style, styleFor } from "../output/style.ts";
import { WAITS } from "../output/words.ts";

export interface Presenter {
  /** Prints a stored event. `run` is already folded with it. */
  event(event: RunEvent, run: Run): void;
  /** Prints a message that is not an event of the run. */
  note(text: string): void;
  close(): void;
}

const FRAME_MS = 120;
const ACTIVITY_LINES = 5;

function jsonLines(): Presenter {
  return {
    event: (event) => process.stdout.write(`${JSON.stringify(event)}\n`),
    note: (text) => process.stderr.write(`${text}\n`),
    close: () => {},
  };
}

function plainLines(style: Style, waits: () => boolean): Presenter {
  return {
    event: (event, run) => {
      for (const line of lines(event, run, style)) process.stdout.write(`${line}\n`);
      if (event.type === "run.parked" && waits()) process.stdout.write(`  ${WAITS}\n`);
    },
    note: (text) => process.stderr.write(`${text}\n`),
    close: () => {},
  };
}

/** `waits` tells whether a process keeps waiting for the answer while the run is parked. */
function live(app: Context, style: Style, waits: () => boolean): Presenter {
  const stream = process.stdout;
  const painter = createPainter(stream);
  let shown: Run | undefined;
  let spinner = 0;
  const draw = () => {
    const isLive =
      shown?.state === "running" || shown?.state === "away" || (shown?.state === "waiting" && waits());
    if (!shown || !isLive) return painter.draw([]);
    painter.draw(
      frame({
        run: shown,
        progress: progressOf(shown),
        activity: newestLines(app, shown, ACTIVITY_LINES),
        now: Date.now(),
        columns: stream.columns || 80,
        rows: stream.rows || 24,
        style,
        spinner: spinner++,
      }),
    );
  };
  const timer = setInterval(draw, FRAME_MS);
  return {
    event: (event, run) => {
      shown = run;
      // The panel shows what the run waits for, and disappears once there is an answer.
      if (event.type !== "run.parked" || !waits())
        painter.log(lines(event, run, style, stream.columns || 80));
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
