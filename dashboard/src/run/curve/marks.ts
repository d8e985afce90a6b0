// Marks on the curve: decisions and the best iteration.
import type uPlot from "uplot";
import type { IterationRow } from "#spec/overview";
import { decisionKind, decisionSign } from "#text/words";
import { heightOf, type Lines } from "./series.ts";

export interface Marks {
  readonly rows: readonly IterationRow[];
  readonly unit: Lines["unit"];
  readonly best?: number;
  readonly chosen?: number;
  readonly colours: {
    readonly text: string;
    readonly back: string;
    readonly best: string;
    readonly chosen: string;
  };
}

/** With fewer pixels than this for each mark, the plain "continue" is left out. */
const MIN_MARK_WIDTH = 34;

function inSight(chart: uPlot, { rows }: Marks): readonly IterationRow[] {
  const { min = 0, max = 0 } = chart.scales.x ?? {};
  return rows.filter(
    ({ number, score }) => score !== undefined && number >= (min ?? 0) && number <= (max ?? 0),
  );
}

interface Mark {
  readonly sign: string;
  readonly ring: string;
  readonly ink: string;
  readonly special: boolean;
}

function markOf({ number, decision }: IterationRow, crowded: boolean, marks: Marks): Mark | undefined {
  const { best, chosen, colours } = marks;
  if (number === best) return { sign: "★", ring: colours.best, ink: colours.best, special: true };
  const kind = decision && decisionKind(decision);
  const sign = kind ? decisionSign(kind) : "";
  if (number === chosen) return { sign, ring: colours.chosen, ink: colours.text, special: true };
  if (!kind || (kind === "continue" && crowded)) return undefined;
  return { sign, ring: colours.text, ink: colours.text, special: false };
}

export function drawMarks(chart: uPlot, marks: Marks): void {
  const { ctx } = chart;
  const ratio = devicePixelRatio;
  const rows = inSight(chart, marks);
  ctx.save();
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.font = `bold ${12 * ratio}px sans-serif`;
  const crowded = chart.bbox.width / ratio < rows.length * MIN_MARK_WIDTH;
  for (const row of rows) {
    const mark = markOf(row, crowded, marks);
    if (!mark) continue;
    const [x, y] = [
      chart.valToPos(row.number, "x", true),
      chart.valToPos(heightOf(row, marks.unit) ?? 0, "y", true),
    ];
    ctx.beginPath();
    ctx.arc(x, y, (mark.special ? 10 : 8) * ratio, 0, 2 * Math.PI);
    ctx.fillStyle = marks.colours.back;
    ctx.fill();
    ctx.lineWidth = (mark.special ? 2.5 : 1) * ratio;
    ctx.strokeStyle = mark.ring;
    ctx.stroke();
    ctx.fillStyle = mark.ink;
    ctx.fillText(mark.sign, x, y + ratio);
  }
  ctx.restore();
}
