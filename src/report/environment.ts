// Report sections: environment of the run, protected files, commands from people, delivery.

import { projectOf } from "#rules/project";
import type { Overview } from "#spec/overview";
import { amount, counted, duration, money, UNKNOWN, utcMoment } from "#text/format";
import { component } from "#text/labels";
import { head, plain } from "#text/plain-text";
import { whereDelivered } from "#text/where-delivered";
import { commandText, describeCommand, iterationTitle } from "#text/words";
import type { ProtectedChange, ReportFacts } from "./facts.ts";
import { code, folded, line, pairs, table } from "./html/blocks.ts";
import { type Child, type Html, html } from "./html/html.ts";
import { describeVerification, PROTECTED_WORDS } from "./words.ts";

const PROMPT_CHARS = 8_000;
const DIFF_CHARS = 20_000;
const MAX_LISTED_FILES = 50;

function gatesOf({ task }: Overview): Html {
  const rows = task.gates.map(({ name, use, policy }) => [
    line(name, 60),
    code(component(use), 300),
    policy.cleanRoom ? "clean room" : "workspace",
    task.until.length === 0 || task.until.includes(name) ? "yes" : "no",
  ]);
  return table([{ title: "gate" }, { title: "judges by" }, { title: "where" }, { title: "must pass" }], rows);
}

function describeIsolation({ isolation }: Overview): string {
  if (!isolation) return "not recorded";
  const { tier, by, why } = isolation;
  return [tier, by && `by ${by}`, why && `(${why})`].filter(Boolean).join(" ");
}

function describeLimits({ task: { limits } }: Overview): string {
  const { iterations, timeMs, cost, tokens, iterationMs } = limits;
  return [
    counted(iterations, "iteration"),
    timeMs !== undefined && duration(timeMs),
    cost !== undefined && money(cost),
    tokens !== undefined && `${amount(tokens)} tokens`,
    `${duration(iterationMs)} per agent run`,
  ]
    .filter(Boolean)
    .join(", ");
}

export function environmentSection({ overview, madeAt }: ReportFacts): Child {
  const { task, driver } = overview;
  const { workspace } = task;
  const verification = describeVerification(overview).map(
    (text) => html`<li>${text}</li>
`,
  );
  return [
    pairs([
      ["run", code(overview.id)],
      ["started", utcMoment(overview.startedAt)],
      ["last event", `${utcMoment(overview.updatedAt)}, number ${overview.seq}`],
      ["agent", line(overview.agent)],
      ["strategy", line(overview.strategy)],
      ["memory", line(component(task.memory))],
      ["context", line(task.context)],
      ["isolation", line(describeIsolation(overview))],
      ["workspace", html`${code(projectOf(workspace))} ${line(workspace.git?.ref ?? workspace.type)}`],
      ...(overview.head ? [["commit at the start", code(overview.head)] as const] : []),
      ["limits", line(describeLimits(overview))],
      ["machine", line(overview.host)],
      ["Converge", line(overview.version)],
      ...(driver ? [["driven by", `process ${driver.pid}`] as const] : []),
      ["report made", utcMoment(madeAt)],
    ]),
    gatesOf(overview),
    html`<h3>How it was verified</h3><ul>${verification}</ul>`,
    folded("The task as given", html`<pre>${head(plain(task.prompt), PROMPT_CHARS)}</pre>`),
  ];
}

function protectedChange({ iteration, changes, diff, action, commit }: ProtectedChange): Html {
  const files = changes
    .slice(0, MAX_LISTED_FILES)
    .map(({ path, kind }) => html`<li>${code(path, 300)} ${kind}</li>`);
  const more = changes.length - files.length;
  return html`<h3>${iterationTitle(iteration)}: ${PROTECTED_WORDS[action]}</h3><ul>${files}${more > 0 && html`<li class="soft">and ${more} more</li>`}</ul>${
    commit && html`<p>The agent's commit ${code(commit, 12)} still contains the change.</p>`
  }${folded("diff", html`<pre>${head(plain(diff), DIFF_CHARS)}</pre>`)}`;
}

export function protectedSection({ protectedChanges, overview }: ReportFacts): Child {
  if (!overview.task.protect) return html`<p>Nothing was protected.</p>`;
  if (protectedChanges.length === 0) return html`<p>No protected file was changed.</p>`;
  return protectedChanges.map(protectedChange);
}

export function peopleSection({ commands }: ReportFacts): Child {
  if (commands.length === 0) return html`<p>No person sent a command to this run.</p>`;
  const rows = commands.map(({ time, command }) => [
    utcMoment(time),
    line(describeCommand(command), 200),
    line(commandText(command), 1_000),
  ]);
  return table([{ title: "when" }, { title: "what" }, { title: "text" }], rows);
}

export function deliverySection({ delivered, task }: Overview): Child {
  if (!delivered)
    return html`<p>${task.deliver ? "Nothing has been delivered yet." : "The task asks for no delivery."}</p>`;
  const { type, tree, problem } = delivered;
  const where = whereDelivered(delivered);
  return pairs([
    ["as", line(type)],
    ["where", where === "" ? UNKNOWN : code(where)],
    ["tree", html`${code(tree)} as judged`],
    ...(problem === undefined ? [] : [["problem", line(problem, 1_000)] as const]),
  ]);
}
