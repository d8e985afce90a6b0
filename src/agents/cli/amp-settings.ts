// Writes the settings file with Amp's permissions. Amp's default rules apply after ours.
import path from "node:path";
import { writePrivate } from "#system/files";
import type { Ask, Call } from "../shared/driver.ts";

interface Rule {
  readonly tool: string;
  readonly action: "allow" | "reject";
  readonly matches?: Readonly<Record<string, string>>;
}

const READERS = ["Read", "Grep", "glob", "Glob", "finder"];
/** Its shell tools, and the name of their command parameter. */
const SHELLS = { Bash: "cmd", shell_command: "command", async_shell_command: "command" };

/** Matches the command with arguments, but without a second command. */
function pattern(command: string): string {
  const literal = command.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return `/^${literal}( [^;&|<>\`$()\\n]*)?$/`;
}

function rulesFor({ access, permissions, commands }: Ask): Rule[] {
  if (access === "read") {
    const reads = READERS.map((tool): Rule => ({ tool, action: "allow" }));
    return [...reads, { tool: "*", action: "reject" }];
  }
  if (permissions === "all") return [{ tool: "*", action: "allow" }];
  return commands.flatMap((command) =>
    Object.entries(SHELLS).map(
      ([tool, key]): Rule => ({ tool, action: "allow", matches: { [key]: pattern(command) } }),
    ),
  );
}

export function ampSettings(ask: Ask): Call {
  const file = path.join(ask.folder, "amp.json");
  const settings = {
    "amp.permissions": rulesFor(ask),
    "amp.dangerouslyAllowAll": ask.access === "write" && ask.permissions === "all",
    "amp.git.commit.ampThread.enabled": false,
    "amp.git.commit.coauthor.enabled": false,
    "amp.updates.mode": "disabled",
  };
  writePrivate(file, `${JSON.stringify(settings, null, 2)}\n`);
  return { args: ["--settings-file", file] };
}
