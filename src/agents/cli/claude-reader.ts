// Reads the output of Claude Code with --output-format stream-json.
import { oneLine } from "#text/plain-text";
import type { Ask, Ended, Failed, Reader } from "../shared/driver.ts";
import { ALLOW_ALL } from "../shared/refusal.ts";
import { type Denial, type Dialect, streamJsonReader } from "./stream-json-reader.ts";

const ROOT = /cannot be used with root/i;
const ROOT_HELP =
  'it refuses "permissions: all" as root; use "isolation: strict" (or "contained"), or run Converge as another user';

/** The command to allow; undefined when allowing a command does not help. */
function commandToAllow(command: string, error: string): string | undefined {
  const part = /parts? requires? approval: (.*)/.exec(error)?.[1];
  const whole = /requires approval$/.test(error.trim()) ? command : "";
  return /^[\w./@:+-]+(?=\s|,|$)/.exec((part ?? whole).trim())?.[0].replace(/,$/, "");
}

function refusal({ tool, on, error }: Denial): string {
  const what = oneLine(on, 200);
  const command = tool === "Bash" ? commandToAllow(what, error) : undefined;
  const help = `${command === undefined ? "" : `"allow: [${command}]" or `}${ALLOW_ALL}`;
  return `Claude Code was not allowed to use ${tool}${what && `: ${what}`}; allow it with ${help}`;
}

function rootFailure({ exitCode, stderr }: Ended): Failed | undefined {
  if (exitCode === 0 || !ROOT.test(stderr)) return undefined;
  return { failure: "blocked", blockedBy: "permission", reason: ROOT_HELP };
}

const CLAUDE: Dialect = {
  model: "both",
  message: "result",
  usage: "result",
  inputIncludesCached: false,
  refusal,
  failure: (_output, ended) => rootFailure(ended),
};

export function claudeReader(ask?: Ask): Reader {
  return streamJsonReader(CLAUDE, ask);
}
