// What the run rests on: the task, its limits, where it runs, how the agent is shut off, what is protected.
import type { Overview } from "#spec/overview";
import type { Protection } from "#spec/task";
import { duration, moment, money, plural } from "../../format.ts";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { Fold } from "../../parts/fold.tsx";
import { Quote } from "../../parts/quote.tsx";
import { componentName } from "../names.ts";
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
    ["Why no more", isolation?.why],
    ["Pins", `${plural(pins, "file")} outside the workspace`],
    ["Started", moment(overview.startedAt)],
  ];
}

function limits({ task }: Overview): readonly Fact[] {
  const { iterations, timeMs, iterationMs, idleMs, tokens, cost, agentFailures } = task.limits;
  return [
    ["Iterations", String(iterations)],
    ["Time", timeMs !== undefined && duration(timeMs)],
    ["One agent run", duration(iterationMs)],
    ["Without output", idleMs !== undefined && duration(idleMs)],
    ["Tokens", tokens !== undefined && String(tokens)],
    ["Cost", cost !== undefined && money(cost)],
    ["Failures in a row", String(agentFailures)],
  ];
}

const protectionName = ({ path, key }: Protection): string => (key ? `${path}#${key.join(".")}` : path);

function task({
  task: { agents, strategy, memory, context, until, protect, gates },
}: Overview): readonly Fact[] {
  return [
    ["Agents", agents.map(componentName).join(", ")],
    ["Strategy", componentName(strategy)],
    ["Memory", memory.type],
    ["Sessions", context === "fresh" ? "a new one for each iteration" : "one that goes on"],
    [
      "Gates",
      gates
        .map(({ name, use }) => (componentName(use) === name ? name : `${name}: ${componentName(use)}`))
        .join("\n"),
    ],
    ["Until", until.join(", ")],
    ["Protected", protect?.paths.map(protectionName).join("\n")],
    ["When touched", protect?.action],
  ];
}

function delivery({ delivered, steering, best }: Overview): readonly Fact[] {
  return [
    ["Best iteration", best && String(best.iteration)],
    [
      "Delivered",
      delivered &&
        [delivered.type, delivered.branch, delivered.commit?.slice(0, 12), delivered.file, delivered.url]
          .filter(Boolean)
          .join(" · "),
    ],
    ["Not delivered", delivered?.problem],
    ["Words that wait", steering.join("\n")],
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
      <Fold title="What was asked for">
        <Quote text={overview.task.prompt} label="What was asked for" />
      </Fold>
    </section>
  );
}
