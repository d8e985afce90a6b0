// Renders the live panel: the current state of the run on a few lines with fixed columns.
import { fitted } from "./format.ts";
import {
  activityRows,
  decisionRow,
  type FrameInput,
  gateRows,
  headlineRow,
  hintRow,
  type Layout,
  layoutOf,
  scoreRow,
  usageRow,
  waitingRows,
} from "./live-frame-rows.ts";
import { firstLine, oneLine, type Part, render, tone, widthOf } from "./spans.ts";
import { state } from "./words.ts";

const MAX_ROWS = 15;
const MAX_GATES = 6;
const MAX_ACTIVITY = 5;
/** Omits the title if fewer columns are left. */
const MIN_TITLE = 8;

function headerRow(input: FrameInput, layout: Layout): Part[] {
  const { run, style } = input;
  const { rule, dot } = style.glyphs;
  const { word, tone: kind } = state(run);
  const between = tone("faint", ` ${dot} `);
  const lead = [tone("faint", `${rule}${rule} `), tone("strong", run.id), between, tone(kind, word)];
  const room = layout.columns - widthOf([...lead, between]) - 4;
  const title = fitted(oneLine(firstLine(run.task.prompt)), room, style.glyphs);
  const text = room < MIN_TITLE ? lead : [...lead, between, title];
  return [...text, " ", tone("faint", rule.repeat(Math.max(0, layout.columns - widthOf(text) - 1)))];
}

/** At most `rows - 1` lines, so that the terminal never scrolls. */
export function liveFrame(input: FrameInput): string[] {
  const layout = layoutOf(input);
  const room = Math.max(0, Math.min(MAX_ROWS, input.rows - 1));
  const above = [headerRow(input, layout), headlineRow(input), scoreRow(input, layout)];
  const below = [usageRow(input, layout), ...decisionRow(input, layout)];
  const hint = [...waitingRows(input), ...hintRow(input)];
  const left = room - above.length - below.length - hint.length;
  const gates = gateRows(input, layout, Math.max(1, Math.min(MAX_GATES, left)));
  const activity = activityRows(input, Math.min(MAX_ACTIVITY, left - gates.length));
  return [...above, ...gates, ...below, ...activity, ...hint]
    .slice(0, room)
    .map((parts) => render(parts, input));
}
