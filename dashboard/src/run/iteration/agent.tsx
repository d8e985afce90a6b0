// What the agent did in an iteration, and what it says about it.
import type { IterationDetail } from "#spec/overview";
import { count, duration, money } from "../../format.ts";
import { Facts } from "../../parts/facts.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Quote } from "../../parts/quote.tsx";

export function AgentPart({ row, message, reason, refused }: IterationDetail) {
  const { agent, usage } = row;
  if (!agent) return null;
  const tokens =
    usage.inputTokens === undefined && usage.outputTokens === undefined
      ? ""
      : `${count(usage.inputTokens ?? 0)} in, ${count(usage.outputTokens ?? 0)} out`;
  return (
    <section class="part" aria-label="Agent">
      <h3>Agent: {agent.ok ? "finished" : (agent.failure ?? "failed")}</h3>
      {reason && !agent.ok && <Notice tone="warn">{reason}</Notice>}
      <Facts
        facts={[
          ["Who", agent.model ? `${agent.name} (${agent.model})` : agent.name],
          ["Took", duration(agent.durationMs)],
          ["Tokens", tokens],
          ["Cost", usage.costUsd === undefined ? "" : money(usage.costUsd)],
          ["Cut off", row.interruptions > 0 && `${row.interruptions} times`],
        ]}
      />
      {refused.length > 0 && (
        <>
          <h4>What it was not allowed to do</h4>
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
            What it says <span class="soft">(a claim, not a verdict)</span>
          </h4>
          <Quote text={message} label="The agent's message, a claim" />
        </>
      )}
    </section>
  );
}
