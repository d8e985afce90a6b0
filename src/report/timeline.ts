// Where the time went: one bar an iteration, in the order things happened.

import type { Overview, Span } from "#spec/overview";
import { duration } from "#text/format";
import { said } from "./markup.ts";
import { nameOf } from "./words.ts";

/** A run can wait for a night: such times are told in words, and drawn as a gap, not to scale. */
const IDLE: readonly Span["kind"][] = ["waiting", "paused", "away", "delayed"];
const GAP = 0.02;
/** Shorter than this share of the bar cannot be seen. */
const SEEN = 0.002;
const KINDS = ["agent", "gate", "memory", "other"] as const;

const lasted = ({ from, to }: Span, now: string): number =>
  Math.max(0, Date.parse(to ?? now) - Date.parse(from)) || 0;

const isIdle = ({ kind }: Span): boolean => IDLE.includes(kind);

interface Piece {
  readonly span: Span;
  readonly ms: number;
}

function byIteration({ spans }: Overview, now: string): Map<number, Piece[]> {
  const found = new Map<number, Piece[]>();
  for (const span of spans) {
    const list = found.get(span.iteration) ?? [];
    list.push({ span, ms: lasted(span, now) });
    found.set(span.iteration, list);
  }
  return found;
}

const atWork = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { span, ms }) => sum + (isIdle(span) ? 0 : ms), 0);

function pieceOf({ span, ms }: Piece, longest: number): string {
  const share = isIdle(span) ? GAP : (ms / longest) * (1 - 4 * GAP);
  if (share < SEEN) return "";
  const name = span.gate === undefined ? span.kind : `gate ${span.gate}`;
  return `<i class="${isIdle(span) ? "idle" : span.kind}" style="width:${(100 * share).toFixed(2)}%" title="${said(name, 80)}: ${duration(ms)}"></i>`;
}

function sums(pieces: readonly Piece[]): string {
  const of = (kind: Span["kind"]) =>
    pieces.reduce((sum, { span, ms }) => sum + (span.kind === kind ? ms : 0), 0);
  return (["agent", "gate", "memory", ...IDLE] as const)
    .flatMap((kind) => (of(kind) > 0 ? [`${kind === "gate" ? "gates" : kind} ${duration(of(kind))}`] : []))
    .join(" · ");
}

export function timelineSection(overview: Overview, now: string): string[] {
  const found = byIteration(overview, now);
  if (found.size === 0) return ["<p>Nothing took any time yet.</p>"];
  const longest = Math.max(1, ...[...found.values()].map(atWork));
  const rows = [...found].map(
    ([number, pieces]) =>
      `<li><span>${nameOf(number)}</span><div class="spans">${pieces.map((piece) => pieceOf(piece, longest)).join("")}</div><span class="soft">${sums(pieces)}</span></li>`,
  );
  const key = [...KINDS, "idle"].map(
    (kind) => `<li><i class="${kind}"></i>${kind === "idle" ? "waiting, not to scale" : kind}</li>`,
  );
  return [`<ul class="legend kinds">${key.join("")}</ul>`, `<ol class="timeline">${rows.join("\n")}</ol>`];
}
