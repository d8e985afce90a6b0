// What people did in an iteration: approvals, rejections and decisions.
import type { Command } from "#spec/command";
import type { IterationDetail } from "#spec/overview";
import { commandText, describeCommand, verdictSign } from "#text/words";

const describe = (command: Command): string =>
  [describeCommand(command), commandText(command)].filter(Boolean).join(": ");

export function People({ approvals, direction }: Pick<IterationDetail, "approvals" | "direction">) {
  if (approvals.length === 0 && !direction) return null;
  return (
    <section class="part" aria-label="People">
      <h3>People</h3>
      <ul class="plain-list">
        {approvals.map((approval) => (
          <li key={`${approval.gate} ${approval.type} ${approval.by}`}>
            {verdictSign(approval.type === "approve" ? "passed" : "failed")} {describe(approval)}
          </li>
        ))}
        {direction && <li>{describe(direction)}</li>}
      </ul>
    </section>
  );
}
