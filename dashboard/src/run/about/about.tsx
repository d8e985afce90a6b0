// About the run: task, limits, environment, isolation and protected files.
import type { Overview } from "#spec/overview";
import { amount, counted, duration, moment, money } from "#text/format";
import { component } from "#text/labels";
import { protectionName } from "#text/protection-name";
import { whereDelivered } from "#text/where-delivered";
import { iterationLabel } from "#text/words";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { Fold } from "../../parts/fold.tsx";
import { Quote } from "../../parts/quote.tsx";
import { useRun } from "../run-context.ts";

function environment(overview: Overview): readonly Fact[] {
  const { host, version, driver, isolation, head, pins, dir, workspace } = overview;
  const shut = isolation && `${isolation.tier}${isolation.by ? ` (by ${isolation.by})` : ""}`;
  return [
    ["Workspace", <code key="w">{workspace}</code>],
    ["Works in", dir !== workspace && <code>{dir}</code>],
    ["Host", host],
    ["Process", driver && String(driver.pid)],
    ["Version", version && `Converge ${version}`],
    ["Started from", head && <code>{head.slice(0, 12)}</code>],
    ["Isolation", shut],
    ["Why not stricter", isolation?.why],
    ["Pinned", `${counted(pins, "file")} outside the workspace`],
    ["Started", moment(overview.startedAt)],
  ];
}

function limits({ task }: Overview): readonly Fact[] {
  const { iterations, timeMs, iterationMs, idleMs, tokens, cost, agentFailures } = task.limits;
  return [
    ["Iterations", String(iterations)],
    ["Time", timeMs !== undefined && duration(timeMs)],
    ["Per agent run", duration(iterationMs)],
    ["Without agent output", idleMs !== undefined && duration(idleMs)],
    ["Tokens", tokens !== undefined && amount(tokens)],
    ["Cost", cost !== undefined && money(cost)],
    ["Agent failures in a row", String(agentFailures)],
  ];
}

function task({
  task: { agents, strategy, memory, context, until, protect, gates },
}: Overview): readonly Fact[] {
  return [
    ["Agents", agents.map(component).join(", ")],
    ["Strategy", component(strategy)],
    ["Memory", memory.type],
    ["Sessions", context === "fresh" ? "a new one for each iteration" : "one for all iterations"],
    [
      "Gates",
      gates
        .map(({ name, use }) => (component(use) === name ? name : `${name}: ${component(use)}`))
        .join("\n"),
    ],
    ["Until", until.join(", ")],
    ["Protected", protect?.paths.map(protectionName).join("\n")],
    ["On change", protect?.action],
  ];
}

function delivery({ delivered, steering, best }: Overview): readonly Fact[] {
  return [
    ["Best iteration", best && iterationLabel(best.iteration)],
    ["Delivered", delivered && [delivered.type, whereDelivered(delivered)].filter(Boolean).join(": ")],
    ["Not delivered", delivered?.problem],
    ["Pending messages", steering.join("\n")],
  ];
}

export function About() {
  const { overview } = useRun();
  return (
    <section class="card" aria-labelledby="about-title">
      <h2 id="about-title">About this run</h2>
      <Facts facts={delivery(overview)} />
      <Fold title="Environment and isolation" open>
        <Facts facts={environment(overview)} />
      </Fold>
      <Fold title="Task" open>
        <Facts facts={task(overview)} />
      </Fold>
      <Fold title="Limits">
        <Facts facts={limits(overview)} />
      </Fold>
      <Fold title="Prompt">
        <Quote text={overview.task.prompt} label="Prompt" />
      </Fold>
    </section>
  );
}
