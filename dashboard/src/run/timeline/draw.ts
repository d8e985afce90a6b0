// Draws the visible spans on a canvas: one row, one colour per kind, a line where an iteration starts.
import type { Span } from "#spec/overview";
import { iterationLabel } from "#text/words";
import { barsOf } from "./bars.ts";
import { type Placed, spanAt } from "./spans.ts";
import type { Stretch } from "./stretch.ts";

export interface Ink {
  readonly kinds: Readonly<Record<Span["kind"], string>>;
  readonly text: string;
  readonly line: string;
}

const LABELS = 16;

/** What is drawn: the spans, the visible stretch, and the colours. */
export interface Scene {
  readonly all: readonly Placed[];
  readonly stretch: Stretch;
  readonly ink: Ink;
}

export function drawSpans(canvas: HTMLCanvasElement, scene: Scene): void {
  const { all, stretch, ink } = scene;
  const context = canvas.getContext("2d");
  if (!context) return;
  const { width, height } = canvas;
  const labelHeight = LABELS * devicePixelRatio;
  context.clearRect(0, 0, width, height);
  for (const bar of barsOf(all, stretch, width)) {
    context.fillStyle = ink.kinds[bar.kind];
    context.fillRect(bar.x, labelHeight, bar.width, height - labelHeight);
  }
  drawStarts(context, scene);
}

/** Draws the starts of iterations, as many as fit. */
function drawStarts(context: CanvasRenderingContext2D, { all, stretch, ink }: Scene): void {
  const { from, to } = stretch;
  const { width, height } = context.canvas;
  const labelHeight = LABELS * devicePixelRatio;
  const scale = width / (to - from);
  context.font = `${11 * devicePixelRatio}px sans-serif`;
  let iteration = -1;
  let free = 0;
  for (let at = spanAt(all, from); at < all.length; at++) {
    const placed = all[at];
    if (!placed || placed.from > to) break;
    if (placed.span.iteration === iteration) continue;
    iteration = placed.span.iteration;
    const x = (placed.from - from) * scale;
    if (x < free) continue;
    context.fillStyle = ink.line;
    context.fillRect(x, 0, devicePixelRatio, height);
    context.fillStyle = ink.text;
    const label = iterationLabel(iteration);
    context.fillText(label, x + 3 * devicePixelRatio, labelHeight - 4 * devicePixelRatio);
    free = x + context.measureText(label).width + 12 * devicePixelRatio;
  }
}
