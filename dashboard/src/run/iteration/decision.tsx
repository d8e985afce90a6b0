// What was decided after an iteration, how surely, and why.
import type { Decision } from "#spec/decision";
import { percent } from "../../format.ts";
import { Facts } from "../../parts/facts.tsx";
import { Quote } from "../../parts/quote.tsx";
import { DECISION_SIGNS, decisionKind } from "../decision-kind.ts";
import { featuresOf } from "./features.ts";

export function DecisionPart({ decision }: { decision: Decision }) {
  const kind = decisionKind(decision);
  const { rollbackTo, fresh, feedback, confidence } = decision;
  return (
    <section class="part" aria-label="Decision">
      <h3>
        Decision: {DECISION_SIGNS[kind]} {kind}
      </h3>
      <p>{decision.reason}</p>
      <Facts
        facts={[
          ["Confidence", percent(confidence)],
          [
            "Goes back to",
            rollbackTo === undefined ? "" : rollbackTo === 0 ? "the base" : `iteration ${rollbackTo}`,
          ],
          ["Session", fresh && "the agent begins a new one"],
          ...featuresOf(decision),
        ]}
      />
      {feedback !== undefined && (
        <>
          <h4>Words for the next prompt</h4>
          <Quote text={feedback} label="Words for the next prompt" />
        </>
      )}
    </section>
  );
}
