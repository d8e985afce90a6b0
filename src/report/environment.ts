// Report sections: environment of the run, protected files, commands from people, delivery.

import { projectOf } from "#rules/project";
import type { Overview } from "#spec/overview";
import { duration } from "#text/format";
import { component } from "#text/labels";
import { head, plain } from "#text/plain-text";
import { whereDelivered } from "#text/where-delivered";
import type { ReportFacts } from "./facts.ts";
import { escaped } from "./html/escaped.ts";
import { code, folded, pairs, said, table } from "./markup.ts";
import { commandText, describeCommand, describeVerification, PROTECTED_WORDS } from "./words.ts";

const PROMPT_CHARS = 8_000;
const DIFF_CHARS = 20_000;
const MAX_LISTED_FILES = 50;

const formatTime = (time: string): string => escaped(time.replace("T", " ").replace(/\.\d+Z$/, " UTC"));

function gatesOf({ task }: Overview): string {
  const rows = task.gates.map(({ name, use, policy }) => [
    said(name, 60),
    code(component(use), 300),
    policy.cleanRoom ? "clean room" : "workspace",
    task.until.length === 0 || task.until.includes(name) ? "yes" : "no",
  ]);
  return table([{ title: "gate" }, { title: "judges by" }, { title: "where" }, { title: "must pass" }], rows);
}

export function environmentSection({ overview, madeAt }: ReportFacts): string[] {
  const { task, isolation, driver } = overview;
  const { limits, workspace } = task;
  const tier = isolation
    ? [
        isolation.tier,
        ...(isolation.by ? [`by ${isolation.by}`] : []),
        ...(isolation.why ? [`(${isolation.why})`] : []),
      ].join(" ")
    : "not recorded";
  const limitTexts = [
    `${limits.iterations} iterations`,
    ...(limits.timeMs === undefined ? [] : [duration(limits.timeMs)]),
    ...(limits.cost === undefined ? [] : [`$${limits.cost}`]),
    ...(limits.tokens === undefined ? [] : [`${limits.tokens} tokens`]),
    `${duration(limits.iterationMs)} per agent run`,
  ];
  return [
    pairs([
      ["run", code(overview.id)],
      ["started", formatTime(overview.startedAt)],
      ["last event", `${formatTime(overview.updatedAt)}, number ${overview.seq}`],
      ["agent", said(overview.agent)],
      ["strategy", said(overview.strategy)],
      ["memory", said(component(task.memory))],
      ["context", said(task.context)],
      ["isolation", said(tier)],
      ["workspace", `${code(projectOf(workspace))} ${said(workspace.git?.ref ?? workspace.type)}`],
      ...(overview.head ? [["commit at the start", code(overview.head)] as const] : []),
      ["limits", said(limitTexts.join(", "))],
      ["machine", said(overview.host)],
      ["Converge", said(overview.version)],
      ...(driver ? [["at work", `process ${driver.pid}`] as const] : []),
      ["report made", formatTime(madeAt)],
    ]),
    gatesOf(overview),
    "<h3>How it was verified</h3>",
    `<ul>${describeVerification(overview)
      .map((text) => `<li>${escaped(text)}</li>`)
      .join("\n")}</ul>`,
    folded("The task as given", `<pre>${escaped(head(plain(task.prompt), PROMPT_CHARS))}</pre>`),
  ];
}

export function protectedSection({ protectedChanges, overview }: ReportFacts): string[] {
  const { protect } = overview.task;
  if (!protect) return ["<p>Nothing was protected.</p>"];
  if (protectedChanges.length === 0) return ["<p>No protected file was changed.</p>"];
  return protectedChanges.map(({ iteration, changes, diff, action, commit }) => {
    const files = changes
      .slice(0, MAX_LISTED_FILES)
      .map(({ path, kind }) => `<li>${code(path, 300)} ${kind}</li>`);
    const more = changes.length - files.length;
    const rest = more > 0 ? `<li class="soft">and ${more} more</li>` : "";
    const shown = folded("diff", `<pre>${escaped(head(plain(diff), DIFF_CHARS))}</pre>`);
    const committed = commit
      ? `<p>The agent's commit ${code(commit, 12)} still contains the change.</p>`
      : "";
    return `<h3>Iteration ${iteration}: ${PROTECTED_WORDS[action]}</h3><ul>${files.join("")}${rest}</ul>${committed}${shown}`;
  });
}

export function peopleSection({ said: commands }: ReportFacts): string[] {
  if (commands.length === 0) return ["<p>No person sent a command to this run.</p>"];
  const rows = commands.map(({ time, command }) => [
    formatTime(time),
    said(describeCommand(command), 200),
    said(commandText(command), 1_000),
  ]);
  return [table([{ title: "when" }, { title: "what" }, { title: "text" }], rows)];
}

export function deliverySection({ delivered, task }: Overview): string[] {
  if (!delivered)
    return [`<p>${task.deliver ? "Nothing has been delivered yet." : "The task asks for no delivery."}</p>`];
  const { type, tree, problem } = delivered;
  return [
    pairs([
      ["as", said(type)],
      ["where", code(whereDelivered(delivered)) || "–"],
      ["tree", `${code(tree)} as judged`],
      ...(problem === undefined ? [] : [["problem", said(problem, 1_000)] as const]),
    ]),
  ];
}
