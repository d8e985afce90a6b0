// converge validate
import fs from "node:fs";
import type { ReadTask } from "#config/read-task";
import { plain } from "#text/plain-text";
import { protectionName } from "#text/protection-name";
import { protectedLines } from "../output/task-lines.ts";
import type { Command } from "../support/command.ts";
import { agentFlags, GATE, PROFILE, PROMPT, protectFlags, TASK_FILE, taskFrom } from "../support/flags.ts";
import { print, printJson, printTaskNotes } from "../support/messages.ts";

interface ValidateFlags {
  readonly prompt?: string;
  readonly gate?: readonly string[];
  readonly profile?: string;
  readonly json?: boolean;
  /** A file to explain. */
  readonly why?: string;
}

const options = [
  PROMPT,
  ...agentFlags,
  GATE,
  ...protectFlags,
  {
    flags: "--why <path>",
    description: "print the class of a file, the reason, and whether the file is protected",
  },
  PROFILE,
  { flags: "--json", description: "print the resolved task as JSON" },
];

/** Flags alone are enough without a task file. With --why, prompt and gates have placeholders. */
async function sourceFrom(file: string | undefined, flags: ValidateFlags) {
  const { DEFAULT_FILE, defaultLimits } = await import("../support/start-run.ts");
  const isWithoutFile = file === undefined && !fs.existsSync(DEFAULT_FILE);
  const hasFlags = flags.prompt !== undefined || flags.gate !== undefined || flags.why !== undefined;
  const placeholders = { prompt: "(none)", agent: { type: "command", command: "true" }, gates: ["true"] };
  return {
    ...(!isWithoutFile || !hasFlags ? { file: file ?? DEFAULT_FILE } : {}),
    ...(flags.profile !== undefined && { profile: flags.profile }),
    flags: taskFrom(options, flags),
    cwd: process.cwd(),
    // The same defaults as `converge run` here, so that both print the same hash.
    defaults: { ...(flags.why !== undefined && placeholders), ...defaultLimits({}) },
  };
}

async function explain(read: ReadTask, name: string, json: boolean): Promise<number> {
  const { explainFile } = await import("#config/find-protect");
  const { path, class: fileClass, reason, protectedBy } = await explainFile(read, name, process.cwd());
  const patterns = protectedBy.map((one) => plain(protectionName(one)));
  if (json) {
    printJson({ path, class: fileClass, reason, protectedBy: patterns });
    return 0;
  }
  const protection = patterns.length === 0 ? "not protected" : `protected by ${patterns.join(", ")}`;
  print(`${plain(path)}: ${fileClass} (${plain(reason)}), ${protection}`);
  return 0;
}

export const command: Command = {
  name: "validate",
  description: "check a task without starting anything, and list the protected files",
  arguments: [TASK_FILE],
  options,
  async run([file]: [string?], flags: ValidateFlags) {
    const source = await sourceFrom(file, flags);
    const { prepareTask } = await import("#runs/prepare-task");
    const read = await prepareTask(source);
    if (flags.why !== undefined) return explain(read, flags.why, flags.json ?? false);
    const { task, hash, sources, warnings } = read;
    if (flags.json) {
      printJson({ valid: true, hash, sources, warnings, task });
      return 0;
    }
    printTaskNotes(read);
    const agents = task.agents.map(({ type }) => type).join(", ");
    const gates = task.gates.map((gate) => gate.name).join(", ") || "none";
    print(
      `${source.file ?? "the task"} is valid: agent ${agents}, strategy ${task.strategy.type}, gates ${gates}, up to ${task.limits.iterations} iterations`,
    );
    print(protectedLines(task.protect).join("\n"));
    return 0;
  },
};
