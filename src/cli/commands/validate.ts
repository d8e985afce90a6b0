// converge validate
import fs from "node:fs";
import { explainFile } from "#config/find-protect";
import { prepareTask } from "#runs/prepare-task";
import { plain } from "#text/plain-text";
import { protectionName } from "#text/protection-name";
import { protectedLines } from "../output/protected.ts";
import { attendance, DEFAULT_FILE, inputFrom, type RunFlags } from "./run.ts";

export interface ValidateFlags extends RunFlags {
  /** A file to explain. */
  readonly why?: string;
}

/** Flags alone are enough without a task file. With --why, prompt and gates have placeholders. */
function sourceFrom(file: string | undefined, flags: ValidateFlags) {
  const isAlone = file === undefined && !fs.existsSync(DEFAULT_FILE);
  const hasFlags = flags.prompt !== undefined || flags.gate !== undefined || flags.why !== undefined;
  const anything = { prompt: "(none)", agent: { type: "command", command: "true" }, gates: ["true"] };
  return {
    ...(!isAlone || !hasFlags ? { file: file ?? DEFAULT_FILE } : {}),
    ...(flags.profile !== undefined && { profile: flags.profile }),
    flags: inputFrom(flags),
    cwd: process.cwd(),
    // The same defaults as `converge run` here, so that both print the same hash.
    defaults: { ...(flags.why !== undefined && anything), ...attendance({}) },
  };
}

export async function validate(file: string | undefined, flags: ValidateFlags): Promise<number> {
  const source = sourceFrom(file, flags);
  const read = await prepareTask(source);
  if (flags.why !== undefined) return explain(read, flags.why, flags.json ?? false);
  const { task, hash, sources, warnings, notes } = read;
  if (flags.json) {
    process.stdout.write(`${JSON.stringify({ valid: true, hash, sources, warnings, task })}\n`);
    return 0;
  }
  for (const note of notes) process.stderr.write(`${note}\n`);
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  const gates = task.gates.map((gate) => gate.name).join(", ") || "none";
  process.stdout.write(
    `${source.file ?? "the task"} is valid: agent ${task.agents.map(({ type }) => type).join(", ")}, strategy ${task.strategy.type}, gates ${gates}, up to ${task.limits.iterations} iterations\n`,
  );
  process.stdout.write(`${protectedLines(task.protect).join("\n")}\n`);
  return 0;
}

async function explain(
  read: Awaited<ReturnType<typeof prepareTask>>,
  name: string,
  json: boolean,
): Promise<number> {
  const { path, class: kind, reason, protectedBy } = await explainFile(read, name, process.cwd());
  const patterns = protectedBy.map((one) => plain(protectionName(one)));
  if (json) {
    process.stdout.write(`${JSON.stringify({ path, class: kind, reason, protectedBy: patterns })}\n`);
    return 0;
  }
  const isProtected = patterns.length === 0 ? "not protected" : `protected by ${patterns.join(", ")}`;
  process.stdout.write(`${plain(path)}: ${kind} (${plain(reason)}), ${isProtected}\n`);
  return 0;
}
