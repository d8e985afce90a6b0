// converge run --dry-run

import type { ReadTask } from "#config/read-task";
import type { Limits } from "#spec/task";
import { counted, duration, money } from "#text/format";
import { agents, component } from "#text/labels";
import { firstLine } from "../output/spans.ts";
import { protects, workspace } from "../output/words.ts";

/** Upper bounds of a run with these limits, with the options that change them. */
function most({ iterations, iterationMs, timeMs, cost, tokens }: Limits): string[] {
  const each = `${counted(iterations, "iteration")}, each agent run up to ${duration(iterationMs)}`;
  const agentTime = `${duration(iterations * iterationMs)} of agent time, and the gates; --max-time limits both`;
  return [
    each,
    timeMs === undefined ? agentTime : `${duration(timeMs)} in all`,
    cost === undefined ? "cost: no limit; --max-cost sets one" : `cost: ${money(cost)}`,
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
  ];
}

export function dryRun({ task, hash, sources }: ReadTask, json: boolean): number {
  if (json) {
    process.stdout.write(`${JSON.stringify({ hash, sources, task })}\n`);
    return 0;
  }
  const gates = task.gates.map(({ name, use }) => {
    const command = component(use);
    return command === name ? name : `${name} (${command})`;
  });
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["prompt", [task.prompt]],
    ["agent", [agents(task)]],
    ["gates", gates.length === 0 ? ["none"] : gates],
    ["strategy", [component(task.strategy)]],
    ["workspace", [`${workspace(task)}, ${task.workspace.dir}`, ...protects(task)]],
    ["at most", most(task.limits)],
  ];
  const lines = rows.flatMap(([name, values]) =>
    values.map((value, at) => `  ${(at === 0 ? name : "").padEnd(10)} ${firstLine(value)}`),
  );
  process.stdout.write(`would run, nothing was started:\n${lines.join("\n")}\n`);
  return 0;
}
