// All symbols of the terminal output, in Unicode and as ASCII fallback. Verdicts and decisions have theirs in #text/words.
import type { Trend } from "#spec/progress";
import type { VerdictStatus } from "#spec/verdict";
import { DECISION_SIGNS, type DecisionKind, type Sign, VERDICT_SIGNS } from "#text/words";

export interface Glyphs {
  readonly status: Readonly<Record<VerdictStatus, string>>;
  readonly decision: Readonly<Record<DecisionKind, string>>;
  readonly trend: Readonly<Record<Trend, string>>;
  /** Lowest to highest. */
  readonly levels: string;
  readonly spinner: string;
  readonly full: string;
  readonly empty: string;
  readonly rule: string;
  readonly quote: string;
  readonly dot: string;
  readonly goOn: string;
  /** Arrow between two numbers. */
  readonly to: string;
  readonly pause: string;
  readonly warning: string;
  readonly ellipsis: string;
  readonly unknown: string;
}

function pick<Key extends string>(
  signs: Readonly<Record<Key, Sign>>,
  form: keyof Sign,
): Readonly<Record<Key, string>> {
  const entries = Object.entries<Sign>(signs).map(([key, sign]) => [key, sign[form]]);
  return Object.fromEntries(entries) as Record<Key, string>;
}

export const UNICODE: Glyphs = {
  status: pick(VERDICT_SIGNS, "unicode"),
  decision: pick(DECISION_SIGNS, "unicode"),
  trend: { improving: "↗", stagnant: "→", regressing: "↘" },
  levels: "▁▂▃▄▅▆▇█",
  spinner: "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏",
  full: "█",
  empty: "░",
  rule: "─",
  quote: "│",
  dot: "·",
  goOn: "→",
  to: "→",
  pause: "‖",
  warning: "!",
  ellipsis: "…",
  unknown: "–",
};

export const ASCII: Glyphs = {
  status: pick(VERDICT_SIGNS, "ascii"),
  decision: pick(DECISION_SIGNS, "ascii"),
  trend: { improving: "^", stagnant: "=", regressing: "v" },
  levels: "_.-=+*#@",
  spinner: "|/-\\",
  full: "#",
  empty: ".",
  rule: "-",
  quote: "|",
  dot: "-",
  goOn: ">",
  to: "->",
  pause: "=",
  warning: "!",
  ellipsis: "...",
  unknown: "-",
};
