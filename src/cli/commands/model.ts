// converge model: shows or resets the learned stopping model.
import fs from "node:fs";
import { projectOf } from "#rules/project";
import type { LearnedModel } from "#spec/learned";
import { likelihood } from "#text/format";
import { counted } from "../output/format.ts";
import { oneLine, type Part, tone } from "../output/spans.ts";
import { type Screen, screenFor } from "../output/style.ts";
import { headRow, table } from "../output/table.ts";
import type { Command } from "../support/command.ts";
import { print, printJson } from "../support/messages.ts";

const COLUMNS = 100;

function agentName(agent: string): string {
  const [type, detail] = JSON.parse(agent) as [string, string | null];
  return oneLine(detail === null ? type : `${type} ${detail}`);
}

function modelLines(model: LearnedModel, screen: Screen): string[] {
  const learned = `${counted(model.runs, "run")}, ${counted(model.transitions, "iteration")} that did not pass`;
  const rows = model.situations.map(({ name, chance, interval, before }): Part[] => [
    name,
    tone("strong", likelihood(chance)),
    `${likelihood(interval[0])} to ${likelihood(interval[1])}`,
    tone("faint", likelihood(before)),
  ]);
  return [
    `${oneLine(model.workspace)} ${screen.style.glyphs.dot} ${agentName(model.agent)}: ${learned}`,
    ...table([headRow(["", "passes next", "80% interval", "unlearned"]), ...rows], screen).map(
      (line) => `  ${line}`,
    ),
    "",
  ];
}

const show: Command = {
  name: "show",
  description: "show how likely the next iteration passes, by what happened before",
  options: [
    { flags: "-a, --all", description: "of all projects" },
    { flags: "--json", description: "print one JSON line per project and agent, with the weights" },
  ],
  isRead: true,
  isDefault: true,
  async run(_args: [], flags: { readonly all?: boolean; readonly json?: boolean }) {
    const { openContext } = await import("#state/context");
    const { modelsIn } = await import("#views/learned-view");
    const here = fs.realpathSync(process.cwd());
    const models = modelsIn(await openContext().store.lessons()).filter(
      ({ workspace }) => flags.all || workspace === here,
    );
    const screen = { ...screenFor(COLUMNS), columns: COLUMNS };
    if (flags.json) for (const model of models) printJson(model);
    else if (models.length > 0) for (const model of models) modelLines(model, screen).forEach(print);
    else
      print(
        `nothing has been learned ${flags.all ? "yet" : "in this folder yet (--all shows other projects)"}; the model learns from every run that ends`,
      );
    return 0;
  },
};

const reset: Command = {
  name: "reset",
  description: "delete what was learned in this folder",
  options: [
    { flags: "-a, --all", description: "in all projects" },
    { flags: "--rebuild", description: "learn again from the recorded runs" },
  ],
  isRead: true,
  async run(_args: [], flags: { readonly all?: boolean; readonly rebuild?: boolean }) {
    const { openContext } = await import("#state/context");
    const app = openContext();
    const here = fs.realpathSync(process.cwd());
    const forgotten = await app.store.forget(flags.all ? undefined : here);
    print(
      `deleted what was learned from ${counted(forgotten, "run")} ${flags.all ? "in all projects" : "in this folder"}`,
    );
    if (!flags.rebuild) return 0;
    const { saveLesson } = await import("#observers/lessons");
    const { viewAll } = await import("#views/run-view");
    const ended = (await viewAll(app, Number.POSITIVE_INFINITY)).flatMap((view) =>
      "run" in view && view.run.ended && (flags.all || projectOf(view.run.task.workspace) === here)
        ? [view.run]
        : [],
    );
    for (const run of ended) await saveLesson(app, run);
    print(`learned again from ${counted(ended.length, "recorded run")}`);
    return 0;
  },
};

export const command: Command = {
  name: "model",
  description: "show or reset what the adaptive strategy has learned about when to stop",
  subcommands: [show, reset],
};
