// The decision after an iteration, with its reason and confidence.
import type { Decision } from "#spec/decision";
import { percent } from "#text/format";
import { decisionKind, decisionSign, describeDecision } from "#text/words";
import { Facts } from "../../parts/facts.tsx";
import { Quote } from "../../parts/quote.tsx";
import { featuresOf } from "./features.ts";

export function DecisionPart({ decision }: { decision: Decision }) {
  const { fresh, feedback, confidence } = decision;
  return (
    <section class="part" aria-label="Decision">
      <h3>
        Decision: {decisionSign(decisionKind(decision))} {describeDecision(decision)}
      </h3>
      <p>{decision.reason}</p>
      <Facts
        facts={[
          ["Confidence", percent(confidence)],
          ["Session", fresh && "the agent starts a new one"],
          ...featuresOf(decision),
        ]}
      />
      {feedback !== undefined && (
        <>
          <h4>Feedback for the next prompt</h4>
          <Quote text={feedback} label="Feedback for the next prompt" />
        </>
      )}
    </section>
  );
}
