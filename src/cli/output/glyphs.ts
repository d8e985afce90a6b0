// All symbols of the terminal output, in Unicode and as ASCII fallback.
import type { Trend } from "#spec/progress";
import type { VerdictStatus } from "#spec/verdict";

export interface Glyphs {
  readonly status: Readonly<Record<VerdictStatus, string>>;
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
  readonly halt: string;
  readonly pause: string;
  readonly warning: string;
  readonly ellipsis: string;
  readonly unknown: string;
}

export const UNICODE: Glyphs = {
  status: { passed: "✔", failed: "✘", skipped: "○", waiting: "…", errored: "!" },
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
  halt: "■",
  pause: "‖",
  warning: "!",
  ellipsis: "…",
  unknown: "–",
};

export const ASCII: Glyphs = {
  status: { passed: "+", failed: "x", skipped: "o", waiting: "?", errored: "!" },
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
  halt: "#",
  pause: "=",
  warning: "!",
  ellipsis: "...",
  unknown: "-",
};
