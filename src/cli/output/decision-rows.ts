// A decision in the log: the score it was made on, what was decided, why, and how surely.
import type { Decision } from "#spec/decision";
import type { Run } from "#spec/run";
import { score } from "./format.ts";
import { reasonRows } from "./reason-rows.ts";
import { firstLine, type Part, type Span, tone } from "./spans.ts";
import type { Style } from "./style.ts";
import { decided } from "./words.ts";

/** A change of the score below this is no change worth an arrow. */
const NOTICEABLE = 0.05;

/** The score before this iteration: of the nearest earlier one that was judged. */
function scoreBefore(run: Run, iteration: number): number | undefined {
  const earlier = [run.baseline, ...run.iterations].filter((each) => each.number < iteration);
  return earlier.findLast((each) => each.score !== undefined)?.score;
}

function arrow(rise: number, style: Style): Span {
  const { improving, regressing, stagnant } = style.glyphs.trend;
  if (rise > NOTICEABLE) return tone("good", improving);
  return rise < -NOTICEABLE ? tone("bad", regressing) : tone("faint", stagnant);
}

function scoreRows(run: Run, iteration: number, style: Style): Part[][] {
  const now = run.iterations.find((each) => each.number === iteration)?.score;
  if (now === undefined) return [];
  const was = scoreBefore(run, iteration);
  if (was === undefined) return [[`    score ${score(now)}`]];
  return [["  ", arrow(now - was, style), ` score ${score(now)}`, tone("faint", `, was ${score(was)}`)]];
}

export function decisionRows(
  iteration: number,
  decision: Decision,
  run: Run,
  style: Style,
  columns: number,
): Part[][] {
  const said = decided(decision, style.glyphs);
  const reason = `${decision.reason} (confidence ${score(decision.confidence)})`;
  const feedback = decision.feedback
    ? [[tone("faint", `    feedback: ${firstLine(decision.feedback)}`)]]
    : [];
  return [
    ...scoreRows(run, iteration, style),
    ...reasonRows(tone(said.tone, `${said.sign} ${said.text}`), reason, columns, "  "),
    ...feedback,
  ];
}
