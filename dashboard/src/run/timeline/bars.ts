// The visible spans as bars. Of those that share a pixel only the longest is drawn, so long runs draw as fast as short ones.
import type { Span } from "#spec/overview";
import { type Placed, spanAt } from "./spans.ts";
import type { Stretch } from "./stretch.ts";

export interface Bar {
  readonly kind: Span["kind"];
  readonly x: number;
  readonly width: number;
}

export function barsOf(all: readonly Placed[], { from, to }: Stretch, room: number): readonly Bar[] {
  const scale = room / (to - from);
  const bars: Bar[] = [];
  let pixel = -1;
  let longest = 0;
  for (let at = spanAt(all, from); at < all.length; at++) {
    const placed = all[at];
    if (!placed || placed.from > to) break;
    const x = (placed.from - from) * scale;
    const width = (placed.to - placed.from) * scale;
    const { kind } = placed.span;
    if (width >= 1) bars.push({ kind, x, width });
    else if (Math.floor(x) !== pixel) {
      pixel = Math.floor(x);
      longest = width;
      bars.push({ kind, x: pixel, width: 1 });
    } else if (width > longest && bars.at(-1)?.x === pixel) {
      longest = width;
      bars[bars.length - 1] = { kind, x: pixel, width: 1 };
    }
  }
  return bars;
}
