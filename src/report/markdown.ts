// A run for the description of a pull request: the verdict first, short, and nothing in it that others could make markup of.

import type { GateCell, Overview } from "#spec/overview";
import type { Iteration } from "#spec/run";
import { counted, duration, money, sparkline } from "#text/format";
import { whereDelivered } from "#text/where-delivered";
import type { ReportFacts } from "./facts.ts";
import { inert, inertBlock } from "./inert.ts";
import {
  levelOf,
  measureOf,
  moodOf,
  nameOf,
  PROTECTED_WORDS,
  SIGNS,
  saidText,
  saidWord,
  sizeOf,
  standingOf,
  stateOf,
  verifiedBy,
} from "./words.ts";

/** Hosts cut or refuse descriptions beyond 65,536 characters. */
export const MOST_BYTES = 60_000;
const MOST_GATES = 40;
const MOST_FAILURES = 15;
const MOST_WORDS = 20;
const CURVE = 40;

const MOODS = { good: "✅", bad: "❌", warn: "⚠️" } as const;

function verdict(overview: Overview): string {
  const mood = MOODS[moodOf(overview.state, overview.partial)];
  const reason = overview.reason ? `\n\n${inert(overview.reason, 400)}` : "";
  return `## ${mood} Converge: ${stateOf(overview)}\n\n${inert(overview.title, 200)}\n\n**${sizeOf(overview).join(" · ")}**${reason}`;
}

/** The newest verdict of each gate, and how it came there. */
function gateTable({ overview, final }: ReportFacts): string {
  const { rows, task } = overview;
  const row = rows.find(({ number }) => number === final?.number);
  if (!row) return "No gate has judged yet.";
  const cells = task.gates.slice(0, MOST_GATES).map(({ name }) => {
    const all = rows.flatMap(({ gates }) => gates.filter(({ gate }) => gate === name));
    const last: GateCell | undefined = row.gates.find(({ gate }) => gate === name);
    const curve = sparkline(
      all.map(({ score }) => score),
      CURVE,
    );
    const status = last ? `${SIGNS[last.status]} ${last.status}` : "not judged";
    return `| ${inert(name, 60)} | ${status} | ${last ? measureOf(last) : "–"} | ${last ? inert(last.summary, 160) : "–"} | ${curve} |`;
  });
  const more = task.gates.length - cells.length;
  return [
    `### Gates on ${row.number === 0 ? "the untouched files" : `iteration ${row.number}`}`,
    "",
    "| gate | verdict | score | | curve |",
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
  const top = best ? `, best: ${nameOf(best.iteration)} (${levelOf(overview, best)})` : "";
  return `### Convergence\n\n${sparkline(scores, CURVE)} from ${standingOf(first)} to ${standingOf(last)}${top}`;
}

function costs(overview: Overview): string {
  const { costUsd, tokens, task, elapsedMs, rows } = overview;
  const worked = rows.reduce((sum, { agent }) => sum + (agent?.durationMs ?? 0), 0);
  const limit = task.limits.cost === undefined ? "" : ` of ${money(task.limits.cost)}`;
  const parts = [
    `cost: ${costUsd === undefined ? "not told" : `${money(costUsd)}${limit}`}`,
    ...(tokens === undefined ? [] : [`tokens: ${tokens}`]),
    `time at work: ${duration(elapsedMs)}, ${duration(worked)} of it agents`,
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
    .slice(0, MOST_FAILURES)
    .map(
      ({ gate, text, message }) => `${inert(gate, 60)}: ${inert(text, 200)}\n\n${inertBlock(message, 600)}`,
    );
  const more = failed.length - items.length;
  const rest = more > 0 ? [`and ${more} more`] : [];
  return `<details><summary>${counted(failed.length, "failure")}</summary>\n\n${[...items, ...rest].join("\n\n")}\n\n</details>`;
}

function people({ said }: ReportFacts): string {
  if (said.length === 0) return "";
  const items = said.slice(-MOST_WORDS).map(({ command }) => {
    const text = saidText(command);
    return `- ${inert(saidWord(command), 160)}${text === "" ? "" : `: ${inert(text, 300)}`}`;
  });
  return `### What people said\n\n${items.join("\n")}`;
}

function tampering({ protectedChanges, overview }: ReportFacts): string[] {
  return protectedChanges.slice(0, MOST_WORDS).map(({ iteration, changes, action, commit }) => {
    const names = changes.slice(0, 5).map(({ path }) => inert(path, 120));
    const more = changes.length > names.length ? ` and ${changes.length - names.length} more` : "";
    const committed = commit ? `; the agent's commit ${inert(commit, 12)} still contains the change` : "";
    const seen = action === "restore" ? ` (\`converge diff ${overview.id} ${iteration} --undone\`)` : "";
    return `- **Iteration ${iteration} changed protected files**, ${PROTECTED_WORDS[action]}: ${names.join(", ")}${more}${committed}${seen}`;
  });
}

function verification(facts: ReportFacts): string {
  const { overview, final } = facts;
  const { delivered, head } = overview;
  const list = [
    ...verifiedBy(overview).map((text) => `- ${text}`),
    ...tampering(facts),
    ...(final?.snapshot
      ? [
          `- Judged tree: \`${final.snapshot.tree}\`${head ? `, started from commit ${inert(head, 64)}` : ""}.`,
        ]
      : []),
    ...(delivered
      ? [
          `- Delivered as ${delivered.type}: ${inert(whereDelivered(delivered) || (delivered.problem ?? ""), 400)}`,
        ]
      : []),
  ];
  const facts_ = `run ${inert(overview.id, 40)} · agent ${inert(overview.agent, 120)} · strategy ${inert(overview.strategy, 60)} · Converge ${inert(overview.version, 30)}`;
  return `### How it was verified\n\n${list.join("\n")}\n\n<sub>${facts_}</sub>`;
}

/** The sections that have room, in order; what does not fit is named. */
function fitting(sections: readonly string[]): string {
  const kept: string[] = [];
  let left = MOST_BYTES - 200;
  let out = 0;
  for (const section of sections) {
    const size = Buffer.byteLength(section) + 2;
    if (size > left) out++;
    else {
      kept.push(section);
      left -= size;
    }
  }
  if (out > 0) kept.push(`${counted(out, "section")} left out because the report would be too long.`);
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
  return fitting(sections.filter((text) => text !== ""));
}
