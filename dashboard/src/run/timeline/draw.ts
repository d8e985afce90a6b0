// Draws the phases in sight on a canvas: one row, one colour for each kind, a line where an iteration begins.
import type { Span } from "#spec/overview";
import { type Placed, spanAt } from "./spans.ts";
import type { Stretch } from "./stretch.ts";

export interface Ink {
  readonly kinds: Readonly<Record<Span["kind"], string>>;
  readonly text: string;
  readonly line: string;
}

const LABELS = 16;

export function drawSpans(
  canvas: HTMLCanvasElement,
  all: readonly Placed[],
  { from, to }: Stretch,
  ink: Ink,
): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const { width, height } = canvas;
  const scale = width / (to - from);
  const label = LABELS * devicePixelRatio;
  context.clearRect(0, 0, width, height);
  context.font = `${11 * devicePixelRatio}px sans-serif`;
  let iteration = -1;
  let free = 0;
  for (let at = spanAt(all, from); at < all.length; at++) {
    const placed = all[at];
    if (!placed || placed.from > to) break;
    const x = (placed.from - from) * scale;
    context.fillStyle = ink.kinds[placed.span.kind];
    context.fillRect(x, label, Math.max(1, (placed.to - placed.from) * scale), height - label);
    if (placed.span.iteration === iteration) continue;
    iteration = placed.span.iteration;
    if (x < free) continue;
    context.fillStyle = ink.line;
    context.fillRect(x, 0, devicePixelRatio, height);
    context.fillStyle = ink.text;
    const words = iteration === 0 ? "base" : String(iteration);
    context.fillText(words, x + 3 * devicePixelRatio, label - 4 * devicePixelRatio);
    free = x + context.measureText(words).width + 12 * devicePixelRatio;
  }
}
