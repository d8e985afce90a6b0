// The agent in an iteration: result, usage and final message.
import type { IterationDetail } from "#spec/overview";
import { amount, counted, duration, money } from "#text/format";
import { agentFailure } from "#text/words";
import { Facts } from "../../parts/facts.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Quote } from "../../parts/quote.tsx";

export function AgentPart({ row, message, reason, refused }: IterationDetail) {
  const { agent, usage } = row;
  if (!agent) return null;
  const tokens =
    usage.inputTokens === undefined && usage.outputTokens === undefined
      ? ""
      : `${amount(usage.inputTokens ?? 0)} in, ${amount(usage.outputTokens ?? 0)} out`;
  return (
    <section class="part" aria-label="Agent">
      <h3>Agent: {agent.ok ? "finished" : agentFailure(agent.failure)}</h3>
      {reason && !agent.ok && <Notice tone="warn">{reason}</Notice>}
      <Facts
        facts={[
          ["Agent", agent.model ? `${agent.name} (${agent.model})` : agent.name],
          ["Duration", duration(agent.durationMs)],
          ["Tokens", tokens],
          ["Cost", usage.costUsd === undefined ? "" : money(usage.costUsd)],
          ["Interrupted", row.interruptions > 0 && counted(row.interruptions, "time")],
        ]}
      />
      {refused.length > 0 && (
        <>
          <h4>Refused actions</h4>
          <ul class="plain-list">
            {refused.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
      {message && (
        <>
          <h4>
            Final message <span class="soft">(a claim, not a verdict)</span>
          </h4>
          <Quote text={message} label="The agent's message, a claim" />
        </>
      )}
    </section>
  );
}
