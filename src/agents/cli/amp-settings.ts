// Amp takes its permissions from a settings file. Its own rules come after ours: it edits files, and asks about most commands.
import path from "node:path";
import { writePrivate } from "#system/files";
import type { Ask, Call } from "../shared/driver.ts";

interface Rule {
  readonly tool: string;
  readonly action: "allow" | "reject";
  readonly matches?: Readonly<Record<string, string>>;
}

const READERS = ["Read", "Grep", "glob", "Glob", "finder"];
/** Its shell tools, and what each calls its command. */
const SHELLS = { Bash: "cmd", shell_command: "command", async_shell_command: "command" };

/** The command and what may follow it: arguments, and no further command. */
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
