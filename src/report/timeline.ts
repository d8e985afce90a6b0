// Report section: one bar per iteration that shows what the time was spent on, in order.

import type { Overview, Span } from "#spec/overview";
import { duration } from "#text/format";
import { iterationLabel } from "#text/words";
import { line } from "./html/blocks.ts";
import { type Child, type Html, html } from "./html/html.ts";

/** Idle time can last a night, so it is drawn as a gap, not to scale, and written out as text. */
const IDLE: readonly Span["kind"][] = ["waiting", "paused", "away", "delayed"];
const GAP = 0.02;
/** A smaller share of the bar is not visible. */
const MIN_VISIBLE = 0.002;
const KINDS = ["agent", "gate", "memory", "other"] as const;

const durationMs = ({ from, to }: Span, now: string): number =>
  Math.max(0, Date.parse(to ?? now) - Date.parse(from)) || 0;

const isIdle = ({ kind }: Span): boolean => IDLE.includes(kind);

interface Piece {
  readonly span: Span;
  readonly ms: number;
}

function groupByIteration({ spans }: Overview, now: string): Map<number, Piece[]> {
  const groups = new Map<number, Piece[]>();
  for (const span of spans) {
    const list = groups.get(span.iteration) ?? [];
    list.push({ span, ms: durationMs(span, now) });
    groups.set(span.iteration, list);
  }
  return groups;
}

const workingMs = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { span, ms }) => sum + (isIdle(span) ? 0 : ms), 0);

function pieceOf({ span, ms }: Piece, longest: number): Child {
  const share = isIdle(span) ? GAP : (ms / longest) * (1 - 4 * GAP);
  if (share < MIN_VISIBLE) return undefined;
  const name = span.gate === undefined ? span.kind : `gate ${span.gate}`;
  return html`<i class="${isIdle(span) ? "idle" : span.kind}" style="width:${(100 * share).toFixed(2)}%" title="${line(name, 80)}: ${duration(ms)}"></i>`;
}

function sums(pieces: readonly Piece[]): string {
  const of = (kind: Span["kind"]) =>
    pieces.reduce((sum, { span, ms }) => sum + (span.kind === kind ? ms : 0), 0);
  return (["agent", "gate", "memory", ...IDLE] as const)
    .flatMap((kind) => (of(kind) > 0 ? [`${kind === "gate" ? "gates" : kind} ${duration(of(kind))}`] : []))
    .join(" · ");
}

export function timelineSection(overview: Overview, now: string): Child {
  const pieces = groupByIteration(overview, now);
  if (pieces.size === 0) return html`<p>No time recorded yet.</p>`;
  const longest = Math.max(1, ...[...pieces.values()].map(workingMs));
  const rows = [...pieces].map(
    ([number, list]): Html =>
      html`<li><span>${iterationLabel(number)}</span><div class="spans">${list.map((piece) => pieceOf(piece, longest))}</div><span class="soft">${sums(list)}</span></li>
`,
  );
  const key = [...KINDS, "idle"].map(
    (kind) => html`<li><i class="${kind}"></i>${kind === "idle" ? "waiting, not to scale" : kind}</li>`,
  );
  return html`<ul class="legend kinds">${key}</ul><ol class="timeline">${rows}</ol>`;
}
