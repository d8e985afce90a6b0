// Report section: each iteration's decision with its reason, confidence and features.

import type { Decision } from "#spec/decision";
import type { Overview } from "#spec/overview";
import { percent } from "#text/format";
import { head, plain } from "#text/plain-text";
import { decisionKind, decisionSign, describeDecision, iterationLabel } from "#text/words";
import { bar, folded, line, table } from "./html/blocks.ts";
import { type Child, html } from "./html/html.ts";

const REASON_CHARS = 1_000;
const FEATURES_CHARS = 4_000;

const preformatted = (text: string) => html`<pre>${head(plain(text), FEATURES_CHARS)}</pre>`;

const roundNumber = (value: unknown): unknown =>
  typeof value === "number" ? Number(value.toPrecision(4)) : value;

/** Features as the strategy recorded them; numbers rounded to four digits. */
function features(metadata: Decision["metadata"]): Child {
  if (!metadata || Object.keys(metadata).length === 0) return undefined;
  const text = JSON.stringify(metadata, (_, value) => roundNumber(value), 1)
    .replace(/^\{\n|\n\}$/g, "")
    .replace(/\n\s+(?=[-\d\]])/g, " ");
  return folded("features", preformatted(text));
}

function cellsOf(number: number, decision: Decision): Child[] {
  const { reason, confidence, feedback, metadata } = decision;
  return [
    iterationLabel(number),
    html`<strong>${decisionSign(decisionKind(decision))} ${describeDecision(decision)}</strong>`,
    html`${bar(confidence, percent(confidence))} ${percent(confidence)}`,
    html`<div class="reason">${line(reason, REASON_CHARS)}${feedback && folded("feedback for the next iteration", preformatted(feedback))}${features(metadata)}</div>`,
  ];
}

export function decisionSection({ rows }: Overview): Child {
  const decisions = rows.flatMap(({ number, decision }) => (decision ? [cellsOf(number, decision)] : []));
  if (decisions.length === 0) return html`<p>Nothing has been decided yet.</p>`;
  return table(
    [
      { title: "iteration" },
      { title: "decision" },
      { title: "confidence", number: true },
      { title: "reason" },
    ],
    decisions,
  );
}
