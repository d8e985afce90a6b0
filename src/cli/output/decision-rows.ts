// Log lines of a decision: failing tests or score, a false claim, the decision, its reason and confidence.
import { describeRed, falseClaim } from "#rules/claim";
import { failingOf, judgedBefore } from "#rules/failing-tests";
import type { Decision } from "#spec/decision";
import type { Iteration, Run } from "#spec/run";
import { failing, score } from "./format.ts";
import { reasonRows } from "./reason-rows.ts";
import { firstLine, type Part, type Span, tone } from "./spans.ts";
import type { Style } from "./style.ts";
import { decided } from "./words.ts";

/** Smaller changes of the score count as stagnant. */
const NOTICEABLE = 0.05;

/** Warns about an agent's claim of success that the gates contradict. */
function claimRows(run: Run, iteration: Iteration | undefined, style: Style): Part[][] {
  const claim = iteration && falseClaim(run, iteration);
  if (!iteration || claim === undefined) return [];
  const red = describeRed(run, iteration, () => true);
  return [
    [tone("warn", `  ${style.glyphs.warning} the agent said "${claim}", but these gates are red: ${red}`)],
  ];
}

function arrow(rise: number, style: Style): Span {
  const { improving, regressing, stagnant } = style.glyphs.trend;
  if (rise > NOTICEABLE) return tone("good", improving);
  return rise < -NOTICEABLE ? tone("bad", regressing) : tone("faint", stagnant);
}

/** Failing tests if there is an earlier count to compare with, else the score. */
export function standingRows(run: Run, iteration: Iteration | undefined, style: Style): Part[][] {
  if (iteration?.score === undefined) return [];
  const earlier = judgedBefore(run, iteration.number)?.score;
  const counts = failingOf(run, iteration);
  const now = score(iteration.score);
  if (counts?.before !== undefined)
    return [["  ", arrow(counts.before - counts.now, style), ` ${failing(counts, style.glyphs)}`]];
  if (earlier === undefined) return [[`    ${counts ? failing(counts) : `score ${now}`}`]];
  const sign = arrow(iteration.score - earlier, style);
  return [["  ", sign, ` score ${now}`, tone("faint", `, was ${score(earlier)}`)]];
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
  const decidedOn = run.iterations.find((each) => each.number === iteration);
  return [
    ...standingRows(run, decidedOn, style),
    ...claimRows(run, decidedOn, style),
    ...reasonRows(tone(said.tone, `${said.sign} ${said.text}`), reason, columns, "  "),
    ...feedback,
  ];
}
