// What people said about an iteration: approvals, and a decision of their own.
import type { IterationDetail } from "#spec/overview";

export function People({ approvals, direction }: Pick<IterationDetail, "approvals" | "direction">) {
  if (approvals.length === 0 && !direction) return null;
  return (
    <section class="part" aria-label="People">
      <h3>People</h3>
      <ul class="plain-list">
        {approvals.map(({ type, gate, by, message }) => (
          <li key={`${gate} ${type} ${by}`}>
            {type === "approve" ? "✓" : "✗"} <strong>{by}</strong>{" "}
            {type === "approve" ? "approved" : "rejected"} {gate}
            {message && `: ${message}`}
          </li>
        ))}
        {direction && (
          <li>
            A person decided: <strong>{direction.choice}</strong>
            {direction.iteration !== undefined && ` to iteration ${direction.iteration}`}
            {direction.feedback && `: ${direction.feedback}`}
          </li>
        )}
      </ul>
    </section>
  );
}
