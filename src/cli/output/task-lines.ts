// Describes a task before it runs: its settings and limits, and what it protects.

import type { Limits, Protect, Protection, Task } from "#spec/task";
import { counted, duration, money } from "#text/format";
import { agents, component } from "#text/labels";
import { oneLine, plain } from "#text/plain-text";
import { protectionName } from "#text/protection-name";
import { firstLine } from "./spans.ts";
import { protects, workspace } from "./words.ts";

const WHEN_CHANGED: Readonly<Record<Protect["action"], string>> = {
  restore: "changes are undone",
  fail: "a change ends the run",
  allow: "changes are only reported",
};

const REASON_CHARS = 120;

function protectionLine(one: Protection): string {
  const free = (one.except ?? []).length > 0 ? `, except ${one.except?.join(", ")}` : "";
  return `    ${plain(protectionName(one) + free)}${one.grows ? "  (new files may be added)" : ""}`;
}

/** What a task protects, grouped by the reason. */
export function protectedLines(protect: Protect | undefined): string[] {
  if (!protect) return ["nothing is protected"];
  const groups = new Map<string, Protection[]>();
  for (const one of protect.paths) {
    const reason = one.reason ?? "named by the task";
    groups.set(reason, [...(groups.get(reason) ?? []), one]);
  }
  return [
    `protected (${WHEN_CHANGED[protect.action]}):`,
    ...[...groups].flatMap(([reason, paths]) => [
      `  ${oneLine(reason, REASON_CHARS)}:`,
      ...paths.map(protectionLine),
    ]),
  ];
}

/** Upper bounds of a run with these limits, with the options that change them. */
function describeLimits({ iterations, iterationMs, timeMs, cost, tokens }: Limits): string[] {
  const agentTime = `${duration(iterations * iterationMs)} of agent time, plus the gates; --max-time limits both`;
  return [
    `${counted(iterations, "iteration")}, each agent run up to ${duration(iterationMs)}`,
    timeMs === undefined ? agentTime : `${duration(timeMs)} in total`,
    cost === undefined ? "cost: no limit; --max-cost sets one" : `cost: ${money(cost)}`,
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
  ];
}

/** The settings of a task, for `converge run --dry-run`. */
export function dryRunLines(task: Task): string[] {
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
    ["at most", describeLimits(task.limits)],
  ];
  return rows.flatMap(([name, values]) =>
    values.map((value, at) => `  ${(at === 0 ? name : "").padEnd(10)} ${firstLine(value)}`),
  );
}
