// Renders a run as one self-contained HTML page.

import type { Overview } from "#spec/overview";
import { amount, duration, money } from "#text/format";
import { whereDelivered } from "#text/where-delivered";
import { costSection } from "./costs.ts";
import { curvePicture } from "./curve.ts";
import { decisionSection } from "./decisions.ts";
import { diffSection } from "./diffs.ts";
import { deliverySection, environmentSection, peopleSection, protectedSection } from "./environment.ts";
import type { ReportFacts } from "./facts.ts";
import { documentOf } from "./html/document.ts";
import { escaped } from "./html/escaped.ts";
import { said, section } from "./markup.ts";
import { gateSection } from "./matrix.ts";
import { STYLE } from "./style.ts";
import { timelineSection } from "./timeline.ts";
import { levelOf, moodOf, nameOf, standingOf, stateOf } from "./words.ts";

function tile(name: string, value: string, more = ""): string {
  return `<li><span class="soft">${escaped(name)}</span><strong>${escaped(value)}</strong>${more ? `<span class="soft">${escaped(more)}</span>` : ""}</li>`;
}

function tiles(overview: Overview): string {
  const { failing, best, rows, costUsd, tokens, delivered } = overview;
  const first = rows.find((row) => row.score !== undefined);
  return `<ul class="tiles">${[
    tile(
      failing ? "tests" : "score",
      standingOf(overview),
      first === undefined ? "" : `from ${standingOf(first)}`,
    ),
    tile("gates", `${overview.gatesPassed} of ${overview.gatesTotal}`, "green"),
    tile("iterations", String(overview.iterations), `of ${overview.maxIterations}`),
    tile("best", best ? nameOf(best.iteration) : "–", best ? levelOf(overview, best) : ""),
    tile("time", duration(overview.elapsedMs), "at work"),
    tile("cost", money(costUsd), tokens === undefined ? "not reported" : `${amount(tokens)} tokens`),
    ...(delivered
      ? [
          tile(
            "delivered",
            delivered.problem === undefined ? delivered.type : "not as asked",
            whereDelivered(delivered),
          ),
        ]
      : []),
  ].join("\n")}</ul>`;
}

function header(overview: Overview): string {
  const mood = moodOf(overview.state, overview.partial);
  const why = overview.reason ? `<p>${said(overview.reason, 600)}</p>` : "";
  const cautions = overview.cautions.map((text) => `<p class="caution">⚠ ${said(text, 300)}</p>`).join("\n");
  return `<header>
<p class="soft">Converge run <code>${said(overview.id)}</code> · ${said(overview.agent, 120)} · ${said(overview.strategy, 60)}</p>
<h1>${said(overview.title, 200) || "A run"}</h1>
<div class="verdict ${mood}"><strong>${escaped(stateOf(overview))}</strong>${why}</div>
${cautions}
${tiles(overview)}
</header>`;
}

const SECTIONS: readonly (readonly [id: string, title: string, make: (facts: ReportFacts) => string[]])[] = [
  ["curve", "Convergence", ({ overview }) => [curvePicture(overview)]],
  ["gates", "Gates", gateSection],
  ["decisions", "Decisions", ({ overview }) => decisionSection(overview)],
  ["costs", "Costs", ({ overview }) => costSection(overview)],
  ["time", "Time", ({ overview, madeAt }) => timelineSection(overview, madeAt)],
  ["changes", "Changes", diffSection],
  ["protected", "Protected files", protectedSection],
  ["people", "Commands from people", peopleSection],
  ["delivery", "Delivery", ({ overview }) => deliverySection(overview)],
  ["environment", "Environment", environmentSection],
];

export function pageOf(facts: ReportFacts): string {
  const { overview } = facts;
  const links = SECTIONS.map(([id, title]) => `<a href="#${id}">${escaped(title)}</a>`).join("\n");
  const sections = SECTIONS.map(([id, title, make]) => section(id, title, make(facts)));
  return documentOf({
    title: `${stateOf(overview)}: ${overview.title || overview.id}`,
    style: STYLE,
    body: [header(overview), `<nav>${links}</nav>`, ...sections].join("\n"),
  });
}
