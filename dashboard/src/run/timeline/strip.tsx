// The timeline as a canvas that zooms by wheel and keys and moves by dragging.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Span } from "#spec/overview";
import { colourOf } from "../../colours.ts";
import { useWidth } from "../../parts/use-width.ts";
import { onColours } from "../../theme.ts";
import { drawSpans, type Ink } from "./draw.ts";
import { type Placed, spanAt } from "./spans.ts";
import { middleOf, moved, type Stretch, zoomed } from "./stretch.ts";

const KINDS: readonly Span["kind"][] = [
  "agent",
  "gate",
  "memory",
  "away",
  "delayed",
  "waiting",
  "paused",
  "other",
];
const HEIGHT = 64;

export interface StripProps {
  readonly all: readonly Placed[];
  readonly whole: Stretch;
  readonly stretch: Stretch;
  readonly label: string;
  readonly onStretch: (stretch: Stretch) => void;
  readonly onPoint: (placed: Placed | undefined) => void;
  readonly onChoose: (placed: Placed) => void;
}

function inkOf(host: HTMLElement): Ink {
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, colourOf(host, `--span-${kind}`)]));
  return {
    kinds: kinds as Ink["kinds"],
    text: colourOf(host, "--soft"),
    line: colourOf(host, "--line-strong"),
  };
}

const KEYS: Readonly<Record<string, (stretch: Stretch, whole: Stretch) => Stretch>> = {
  "+": (stretch, whole) => zoomed(stretch, { factor: 0.6, at: middleOf(stretch) }, whole),
  "-": (stretch, whole) => zoomed(stretch, { factor: 1.7, at: middleOf(stretch) }, whole),
  "0": (_, whole) => whole,
  ArrowLeft: (stretch, whole) => moved(stretch, -0.2, whole),
  ArrowRight: (stretch, whole) => moved(stretch, 0.2, whole),
};

/** Listens for wheel and drag; reads the newest properties, because the listeners stay. */
function listenTo(canvas: HTMLCanvasElement, now: () => StripProps): () => void {
  let dragged: { x: number; far: boolean } | undefined;
  const momentAt = (x: number) => {
    const { left, width } = canvas.getBoundingClientRect();
    const { stretch } = now();
    return stretch.from + ((x - left) / Math.max(1, width)) * (stretch.to - stretch.from);
  };
  const placedAt = (x: number) => now().all[spanAt(now().all, momentAt(x))];
  const listeners = {
    wheel(event: WheelEvent) {
      event.preventDefault();
      const { stretch, whole, onStretch } = now();
      onStretch(
        zoomed(stretch, { factor: event.deltaY > 0 ? 1.25 : 0.8, at: momentAt(event.clientX) }, whole),
      );
    },
    pointerdown(event: PointerEvent) {
      dragged = { x: event.clientX, far: false };
      canvas.setPointerCapture(event.pointerId);
    },
    pointermove({ clientX }: PointerEvent) {
      const { stretch, whole, onStretch, onPoint } = now();
      if (!dragged) return onPoint(placedAt(clientX));
      const share = (dragged.x - clientX) / Math.max(1, canvas.clientWidth);
      if (Math.abs(dragged.x - clientX) < 4 && !dragged.far) return;
      dragged = { x: clientX, far: true };
      onStretch(moved(stretch, share, whole));
    },
    pointerup({ clientX }: PointerEvent) {
      const chosen = dragged && !dragged.far ? placedAt(clientX) : undefined;
      dragged = undefined;
      if (chosen) now().onChoose(chosen);
    },
    pointerleave: () => now().onPoint(undefined),
  };
  const entries = Object.entries(listeners) as [string, EventListener][];
  for (const [name, listener] of entries) canvas.addEventListener(name, listener, { passive: false });
  return () => {
    for (const [name, listener] of entries) canvas.removeEventListener(name, listener);
  };
}

export function Strip(props: StripProps) {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const newest = useRef(props);
  newest.current = props;
  const width = useWidth(host);
  const [ink, setInk] = useState<Ink>();
  useEffect(() => {
    const read = () => host.current && setInk(inkOf(host.current));
    read();
    return onColours(read);
  }, []);
  useEffect(() => (canvas.current ? listenTo(canvas.current, () => newest.current) : undefined), []);
  useLayoutEffect(() => {
    const { current } = canvas;
    if (!current || !ink || width === 0) return;
    current.width = width * devicePixelRatio;
    current.height = HEIGHT * devicePixelRatio;
    drawSpans(current, { all: props.all, stretch: props.stretch, ink });
  }, [props.all, props.stretch, width, ink]);
  const onKeyDown = (event: KeyboardEvent) => {
    const change = KEYS[event.key];
    if (!change || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    props.onStretch(change(props.stretch, props.whole));
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys look closer and move.
    <div class="strip" ref={host} role="img" aria-label={props.label} tabIndex={0} onKeyDown={onKeyDown}>
      <canvas ref={canvas} height={HEIGHT} />
    </div>
  );
}
