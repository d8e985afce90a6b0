// converge validate
import { prepareTask } from "#app/prepare-task";
import { protectionName } from "#spec/protection-name";
import type { Protect } from "#spec/task";
import { plain } from "#spec/text";
import { DEFAULT_FILE } from "./run.ts";

export interface ValidateFlags {
  readonly profile?: string;
  readonly json?: boolean;
}

export async function validate(file: string | undefined, flags: ValidateFlags): Promise<number> {
  const name = file ?? DEFAULT_FILE;
  const profile = flags.profile ? { profile: flags.profile } : {};
  const read = await prepareTask({ file: name, ...profile, cwd: process.cwd() });
  const { task, hash, sources, warnings, notes } = read;
  if (flags.json) {
    process.stdout.write(`${JSON.stringify({ valid: true, hash, sources, warnings, task })}\n`);
    return 0;
  }
  for (const note of notes) process.stderr.write(`${note}\n`);
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  const gates = task.gates.map((gate) => gate.name).join(", ") || "none";
  process.stdout.write(
    `${name} is valid: agent ${task.agents.map(({ type }) => type).join(", ")}, strategy ${task.strategy.type}, gates ${gates}, up to ${task.limits.iterations} iterations\n`,
  );
  process.stdout.write(protectLines(task.protect));
  return 0;
}

const WHEN_CHANGED: Readonly<Record<Protect["action"], string>> = {
  restore: "and puts back what is changed",
  fail: "and ends the run when one is changed",
  allow: "and only tells when one is changed",
};

function protectLines(protect: Protect | undefined): string {
  if (!protect) return "protects nothing\n";
  const rows = protect.paths.map((one) => [
    plain(protectionName(one)),
    one.grows ? "new files may come" : "",
  ]);
  const width = Math.max(...rows.map(([name = ""]) => name.length));
  const lines = rows.map(([name = "", note]) => `  ${name.padEnd(width)}  ${note}`.trimEnd());
  return [`protects, ${WHEN_CHANGED[protect.action]}:`, ...lines, ""].join("\n");
}
