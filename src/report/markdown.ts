// Renders a run as Markdown for the description of a pull request: short, the verdict first, untrusted text only in code.

import type { GateCell, Overview } from "#spec/overview";
import type { Iteration } from "#spec/run";
import { amount, counted, duration, money, sparkline, UNKNOWN } from "#text/format";
import { head, oneLine, plain } from "#text/plain-text";
import { whereDelivered } from "#text/where-delivered";
import {
  commandText,
  describeCommand,
  iterationName,
  iterationTitle,
  level,
  type Mood,
  measure,
  stateMood,
  stateName,
  verdictSign,
} from "#text/words";
import type { ReportFacts } from "./facts.ts";
import { bestLevel, describeVerification, figuresOf, PROTECTED_WORDS } from "./words.ts";

/** Git hosts truncate or reject descriptions beyond 65,536 characters. */
export const MAX_BYTES = 60_000;
const MAX_GATES = 40;
const MAX_FAILURES = 15;
const MAX_ITEMS = 20;
const CURVE_CHARS = 40;

// Untrusted text is quoted as code, where it cannot become a link, mention, issue reference, command or HTML.
const longestBacktickRun = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));

/** An inline code span. A bar would end a table cell even when escaped, so it becomes a broken bar. */
function codeSpan(text: string, maxChars = 200): string {
  const line = oneLine(text, maxChars).replaceAll("|", "¦");
  if (line === "") return "–";
  const ticks = "`".repeat(longestBacktickRun(line) + 1);
  // A blank separates backticks at the ends from the delimiters; Markdown strips one on each side.
  const blank = /^[` ]|[` ]$/.test(line) ? " " : "";
  return `${ticks}${blank}${line}${blank}${ticks}`;
}

/** A fenced code block whose fence is longer than any run of backticks in the text. */
function codeBlock(text: string, maxChars: number): string {
  const shown = head(plain(text), maxChars);
  const fence = "`".repeat(Math.max(3, longestBacktickRun(shown) + 1));
  return `${fence}text\n${shown}\n${fence}`;
}

const MOODS: Readonly<Record<Mood, string>> = { good: "✅", bad: "❌", warn: "⚠️", active: "⏳" };

function verdict(overview: Overview): string {
  const mood = MOODS[stateMood(overview.state, overview.partial)];
  const reason = overview.reason ? `\n\n${codeSpan(overview.reason, 400)}` : "";
  return `## ${mood} Converge: ${stateName(overview.state, overview.partial)}\n\n${codeSpan(overview.title, 200)}\n\n**${figuresOf(overview).join(" · ")}**${reason}`;
}

/** The latest verdict of each gate, and its curve. */
function gateTable({ overview, final }: ReportFacts): string {
  const { rows, task } = overview;
  const row = rows.find(({ number }) => number === final?.number);
  if (!row) return "No gate has judged yet.";
  const cells = task.gates.slice(0, MAX_GATES).map(({ name }) => {
    const all = rows.flatMap(({ gates }) => gates.filter(({ gate }) => gate === name));
    const last: GateCell | undefined = row.gates.find(({ gate }) => gate === name);
    const curve = sparkline(
      all.map(({ score }) => score),
      CURVE_CHARS,
    );
    const status = last ? `${verdictSign(last.status)} ${last.status}` : "not judged";
    return `| ${codeSpan(name, 60)} | ${status} | ${(last && measure(last)) || UNKNOWN} | ${last ? codeSpan(last.summary, 160) : UNKNOWN} | ${curve} |`;
  });
  const more = task.gates.length - cells.length;
  return [
    `### Gates on ${iterationName(row.number)}`,
    "",
    "| gate | verdict | tests | | curve |",
    "|---|---|--:|---|---|",
    ...cells,
    ...(more > 0 ? [`\nand ${counted(more, "more gate")}`] : []),
  ].join("\n");
}

function curve(overview: Overview): string {
  const { rows, best } = overview;
  const judged = rows.filter(({ score }) => score !== undefined);
  const [first, last] = [judged[0], judged.at(-1)];
  if (!first || !last) return "";
  const scores = judged.flatMap(({ score }) => score ?? []);
  const top = best ? `, best: ${iterationName(best.iteration)} (${bestLevel(overview, best)})` : "";
  return `### Convergence\n\n${sparkline(scores, CURVE_CHARS)} from ${level(first)} to ${level(last)}${top}`;
}

function costs(overview: Overview): string {
  const { costUsd, tokens, task, elapsedMs, rows } = overview;
  const agentMs = rows.reduce((sum, { agent }) => sum + (agent?.durationMs ?? 0), 0);
  const limit = task.limits.cost === undefined ? "" : ` of ${money(task.limits.cost)}`;
  const parts = [
    `cost: ${costUsd === undefined ? "not reported" : `${money(costUsd)}${limit}`}`,
    ...(tokens === undefined ? [] : [`tokens: ${amount(tokens)}`]),
    `working time: ${duration(elapsedMs)}, of which agents: ${duration(agentMs)}`,
  ];
  return `### Cost\n\n${parts.map((part) => `- ${part}`).join("\n")}`;
}

function failures(final: Iteration | undefined): string {
  const failed = (final?.verdicts ?? []).flatMap(({ gate, verdict }) =>
    verdict.failures.map(({ id, message }) => ({
      gate,
      text: id ?? message.split("\n", 1)[0] ?? "",
      message,
    })),
  );
  if (failed.length === 0) return "";
  const items = failed
    .slice(0, MAX_FAILURES)
    .map(
      ({ gate, text, message }) =>
        `${codeSpan(gate, 60)}: ${codeSpan(text, 200)}\n\n${codeBlock(message, 600)}`,
    );
  const more = failed.length - items.length;
  const rest = more > 0 ? [`and ${more} more`] : [];
  return `<details><summary>${counted(failed.length, "failure")}</summary>\n\n${[...items, ...rest].join("\n\n")}\n\n</details>`;
}

function people({ commands }: ReportFacts): string {
  if (commands.length === 0) return "";
  const items = commands.slice(-MAX_ITEMS).map(({ command }) => {
    const text = commandText(command);
    return `- ${codeSpan(describeCommand(command), 160)}${text === "" ? "" : `: ${codeSpan(text, 300)}`}`;
  });
  return `### Commands from people\n\n${items.join("\n")}`;
}

function tampering({ protectedChanges, overview }: ReportFacts): string[] {
  return protectedChanges.slice(0, MAX_ITEMS).map(({ iteration, changes, action, commit }) => {
    const names = changes.slice(0, 5).map(({ path }) => codeSpan(path, 120));
    const more = changes.length > names.length ? ` and ${changes.length - names.length} more` : "";
    const committed = commit ? `; the agent's commit ${codeSpan(commit, 12)} still contains the change` : "";
    const hint = action === "restore" ? ` (\`converge diff ${overview.id} ${iteration} --undone\`)` : "";
    return `- **${iterationTitle(iteration)} changed protected files**, ${PROTECTED_WORDS[action]}: ${names.join(", ")}${more}${committed}${hint}`;
  });
}

function verification(facts: ReportFacts): string {
  const { overview, final } = facts;
  const { delivered, head: commit } = overview;
  const list = [
    ...describeVerification(overview).map((text) => `- ${text}`),
    ...tampering(facts),
    ...(final?.snapshot
      ? [
          `- Judged tree: \`${final.snapshot.tree}\`${commit ? `, started from commit ${codeSpan(commit, 64)}` : ""}.`,
        ]
      : []),
    ...(delivered
      ? [
          `- Delivered as ${delivered.type}: ${codeSpan(whereDelivered(delivered) || (delivered.problem ?? ""), 400)}`,
        ]
      : []),
  ];
  const origin = `run ${codeSpan(overview.id, 40)} · agent ${codeSpan(overview.agent, 120)} · strategy ${codeSpan(overview.strategy, 60)} · Converge ${codeSpan(overview.version, 30)}`;
  return `### How it was verified\n\n${list.join("\n")}\n\n<sub>${origin}</sub>`;
}

/** Joins the sections that fit into the limit, and says how many are left out. */
function joinWithinLimit(sections: readonly string[]): string {
  const kept: string[] = [];
  let remaining = MAX_BYTES - 200;
  let omitted = 0;
  for (const section of sections) {
    const size = Buffer.byteLength(section) + 2;
    if (size > remaining) omitted++;
    else {
      kept.push(section);
      remaining -= size;
    }
  }
  if (omitted > 0) kept.push(`${counted(omitted, "section")} left out because the report would be too long.`);
  return `${kept.join("\n\n")}\n`;
}

export function markdownOf(facts: ReportFacts): string {
  const { overview, final } = facts;
  const sections = [
    verdict(overview),
    gateTable(facts),
    curve(overview),
    costs(overview),
    verification(facts),
    people(facts),
    failures(final),
  ];
  return joinWithinLimit(sections.filter((text) => text !== ""));
}
