// converge model: shows or resets the learned stopping model.

import fs from "node:fs";
import { saveLesson } from "#observers/lessons";
import { projectOf } from "#rules/project";
import type { LearnedModel } from "#spec/learned";
import { openContext } from "#state/context";
import { likelihood } from "#text/format";
import { modelsIn } from "#views/learned-view";
import { viewAll } from "#views/run-view";
import { counted } from "../output/format.ts";
import { oneLine, type Part, tone } from "../output/spans.ts";
import { type Style, styleFor } from "../output/style.ts";
import { table } from "../output/table.ts";

const COLUMNS = 100;

function agentName(agent: string): string {
  const [type, detail] = JSON.parse(agent) as [string, string | null];
  return oneLine(detail === null ? type : `${type} ${detail}`);
}

function rowsOf(model: LearnedModel, style: Style): string[] {
  const learned = `${counted(model.runs, "run")}, ${counted(model.transitions, "iteration")} that did not pass`;
  const head: Part[] = ["", "passes next", "four of five", "unlearned"].map((title) => tone("faint", title));
  const rows = model.situations.map(({ name, chance, interval, before }): Part[] => [
    name,
    tone("strong", likelihood(chance)),
    `${likelihood(interval[0])} to ${likelihood(interval[1])}`,
    tone("faint", likelihood(before)),
  ]);
  return [
    `${oneLine(model.workspace)} ${style.glyphs.dot} ${agentName(model.agent)}: ${learned}`,
    ...table([head, ...rows], COLUMNS, style).map((line) => `  ${line}`),
    "",
  ];
}

export async function show(flags: { readonly all?: boolean; readonly json?: boolean }): Promise<number> {
  const here = fs.realpathSync(process.cwd());
  const models = modelsIn(await openContext().store.lessons()).filter(
    ({ workspace }) => flags.all || workspace === here,
  );
  if (flags.json) for (const model of models) process.stdout.write(`${JSON.stringify(model)}\n`);
  else if (models.length === 0)
    process.stdout.write(
      `nothing has been learned ${flags.all ? "yet" : "in this folder yet (--all shows other projects)"}: every run that ends teaches something\n`,
    );
  else
    for (const model of models)
      process.stdout.write(`${rowsOf(model, styleFor(process.stdout, process.env)).join("\n")}\n`);
  return 0;
}

export async function reset(flags: { readonly all?: boolean; readonly rebuild?: boolean }): Promise<number> {
  const app = openContext();
  const here = fs.realpathSync(process.cwd());
  const where = flags.all ? "everywhere" : "in this folder";
  const gone = await app.store.forget(flags.all ? undefined : here);
  process.stdout.write(`forgot what ${counted(gone, "run")} taught ${where}\n`);
  if (!flags.rebuild) return 0;
  const ended = (await viewAll(app, Number.POSITIVE_INFINITY)).flatMap((view) =>
    "run" in view && view.run.ended && (flags.all || projectOf(view.run.task.workspace) === here)
      ? [view.run]
      : [],
  );
  for (const run of ended) await saveLesson(app, run);
  process.stdout.write(`learned again from ${counted(ended.length, "recorded run")}\n`);
  return 0;
}
