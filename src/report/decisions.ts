// Report section: each iteration's decision with its reason, confidence and features.

import type { Overview } from "#spec/overview";
import { percent } from "#text/format";
import { head, plain } from "#text/plain-text";
import { escaped } from "./html/escaped.ts";
import { folded, said, table } from "./markup.ts";
import { describeDecision, nameOf } from "./words.ts";

const REASON_CHARS = 1_000;
const FEATURES_CHARS = 4_000;

const roundNumber = (value: unknown): unknown =>
  typeof value === "number" ? Number(value.toPrecision(4)) : value;

/** Features as the strategy recorded them; numbers rounded to four digits. */
function features(metadata: Readonly<Record<string, unknown>> | undefined): string {
  if (!metadata || Object.keys(metadata).length === 0) return "";
  const text = JSON.stringify(metadata, (_, value) => roundNumber(value), 1)
    .replace(/^\{\n|\n\}$/g, "")
    .replace(/\n\s+(?=[-\d\]])/g, " ");
  return folded("features", `<pre>${escaped(head(plain(text), FEATURES_CHARS))}</pre>`);
}

const bar = (share: number): string =>
  `<span class="bar" title="${percent(share)}"><i style="width:${Math.round(100 * Math.min(1, Math.max(0, share)))}%"></i></span>`;

export function decisionSection({ rows }: Overview): string[] {
  const decisions = rows.flatMap(({ number, decision }) => {
    if (!decision) return [];
    const { reason, confidence, feedback, metadata } = decision;
    const feedbackBlock = feedback
      ? folded(
          "feedback for the next iteration",
          `<pre>${escaped(head(plain(feedback), FEATURES_CHARS))}</pre>`,
        )
      : "";
    return [
      [
        nameOf(number),
        `<strong>${said(describeDecision(decision))}</strong>`,
        `${bar(confidence)} ${percent(confidence)}`,
        `<div class="reason">${said(reason, REASON_CHARS)}${feedbackBlock}${features(metadata)}</div>`,
      ],
    ];
  });
  if (decisions.length === 0) return ["<p>Nothing has been decided yet.</p>"];
  return [
    table(
      [{ title: "iteration" }, { title: "decision" }, { title: "confidence" }, { title: "reason" }],
      decisions,
    ),
  ];
}
