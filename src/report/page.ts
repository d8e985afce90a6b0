// Renders a run as one self-contained HTML page.

import type { Overview } from "#spec/overview";
import { amount, duration, money, UNKNOWN } from "#text/format";
import { whereDelivered } from "#text/where-delivered";
import { iterationLabel, level, type Mood, stateMood, stateName, stateSign } from "#text/words";
import { costSection } from "./costs.ts";
import { curvePicture } from "./curve.ts";
import { decisionSection } from "./decisions.ts";
import { diffSection } from "./diffs.ts";
import { deliverySection, environmentSection, peopleSection, protectedSection } from "./environment.ts";
import type { ReportFacts } from "./facts.ts";
import { line } from "./html/blocks.ts";
import { documentOf } from "./html/document.ts";
import { type Child, type Html, html } from "./html/html.ts";
import { gateSection } from "./matrix.ts";
import { STYLE } from "./style.ts";
import { timelineSection } from "./timeline.ts";
import { bestLevel } from "./words.ts";

function tile(name: string, value: string, more = ""): Html {
  return html`<li><span class="soft">${name}</span><strong>${value}</strong>${more !== "" && html`<span class="soft">${more}</span>`}</li>
`;
}

function tiles(overview: Overview): Html {
  const { failing, best, rows, costUsd, tokens, delivered } = overview;
  const first = rows.find((row) => row.score !== undefined);
  return html`<ul class="tiles">${[
    tile(failing ? "tests" : "score", level(overview), first === undefined ? "" : `from ${level(first)}`),
    tile("gates", `${overview.gatesPassed} of ${overview.gatesTotal}`, "green"),
    tile("iterations", String(overview.iterations), `of ${overview.maxIterations}`),
    tile("best", best ? iterationLabel(best.iteration) : UNKNOWN, best ? bestLevel(overview, best) : ""),
    tile("time", duration(overview.elapsedMs), "at work"),
    tile("cost", money(costUsd), tokens === undefined ? "not reported" : `${amount(tokens)} tokens`),
    delivered &&
      tile(
        "delivered",
        delivered.problem === undefined ? delivered.type : "not as asked",
        whereDelivered(delivered),
      ),
  ]}</ul>`;
}

/** The class of the box around the state; work in progress looks like a warning: nothing is settled yet. */
const MOOD_CLASSES: Readonly<Record<Mood, string>> = {
  good: "good",
  bad: "bad",
  warn: "warn",
  active: "warn",
};

function header(overview: Overview): Html {
  const { state, partial, reason, cautions } = overview;
  const mood = MOOD_CLASSES[stateMood(state, partial)];
  return html`<header>
<p class="soft">Converge run <code>${line(overview.id)}</code> · ${line(overview.agent, 120)} · ${line(overview.strategy, 60)}</p>
<h1>${line(overview.title, 200) || "A run"}</h1>
<div class="verdict ${mood}"><strong>${stateSign(state)} ${stateName(state, partial)}</strong>${reason && html`<p>${line(reason, 600)}</p>`}</div>
${cautions.map((text) => html`<p class="caution">⚠ ${line(text, 300)}</p>`)}
${tiles(overview)}
</header>`;
}

const SECTIONS: readonly (readonly [id: string, title: string, make: (facts: ReportFacts) => Child])[] = [
  ["curve", "Convergence", ({ overview }) => curvePicture(overview)],
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
  const { state, partial, title, id } = facts.overview;
  const links = SECTIONS.map(
    ([anchor, name]) => html`<a href="#${anchor}">${name}</a>
`,
  );
  const sections = SECTIONS.map(
    ([anchor, name, make]) => html`
<section id="${anchor}">
<h2>${name}</h2>
${make(facts)}
</section>`,
  );
  return documentOf({
    title: `${stateName(state, partial)}: ${title || id}`,
    style: STYLE,
    body: [header(facts.overview), html`<nav>${links}</nav>`, sections],
  });
}
