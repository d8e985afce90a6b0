// Installs session loops in Gemini CLI: three hooks in its settings, and commands that pass their arguments through unchanged.
import os from "node:os";
import path from "node:path";
import type { Json } from "#agents/shared/read-json";
import { ownCommand } from "../own-package.ts";
import { markFor } from "./own-files.ts";
import { installParts, type Parts, uninstallParts } from "./parts.ts";
import type { Installed, Place } from "./place.ts";

/** Timeout of a hook in milliseconds: a day, because gates may take long. A hook that times out stops the session. */
const TIMEOUT = 86_400_000;

const COMMANDS = {
  ralph: "Works on a task again and again until it is done",
  "cancel-ralph": "Ends the loop of this session",
  "ralph-status": "Tells where the loop of this session stands",
};

function folderOf({ scope, dir, env }: Place): string {
  const home = env.GEMINI_CLI_HOME || env.HOME || os.homedir();
  return path.resolve(scope === "project" ? dir : home, ".gemini");
}

const commandText = (name: string, description: string) =>
  `# ${markFor("gemini")}\ndescription = "${description} (Converge)"\nprompt = """/${name} {{args}}"""\n`;

function partsFor(place: Place): Parts {
  const folder = folderOf(place);
  const commands = path.join(folder, "commands");
  const { command } = ownCommand(place.env);
  const hook = (event: string) => ({
    type: "command",
    name: "converge",
    command: `${command} hook gemini-${event}`,
  });
  const hookWithTimeout = (event: string) => ({ ...hook(event), timeout: TIMEOUT });
  const files = Object.entries(COMMANDS).map(([name, description]) => [
    path.join(commands, `${name}.toml`),
    commandText(name, description),
  ]);
  return {
    host: "gemini",
    settings: path.join(folder, "settings.json"),
    hooks: {
      BeforeAgent: hookWithTimeout("before"),
      AfterAgent: hookWithTimeout("after"),
      SessionEnd: hook("end"),
    },
    files: Object.fromEntries(files),
    kind: "command",
    remedy: "rename it, and try again",
    folders: place.scope === "project" ? [commands, folder] : [commands],
  };
}

/** Notes about settings that affect loops. */
function notesFor({ hooksConfig, model }: Json, file: string): string[] {
  const { enabled } = (hooksConfig ?? {}) as { readonly enabled?: unknown };
  const { disableLoopDetection } = (model ?? {}) as { readonly disableLoopDetection?: unknown };
  return [
    ...(enabled === false
      ? [`"hooksConfig.enabled" is false in ${file}: no hook runs until it is true`]
      : []),
    ...(disableLoopDetection === true
      ? []
      : [
          `Gemini CLI has its own loop detection from the 30th turn on, which may stop a long loop: set "model": {"disableLoopDetection": true} in ${file} if yours are longer`,
        ]),
  ];
}

export function installGemini(place: Place): Installed {
  const parts = partsFor(place);
  const { is, done } = installParts(parts);
  return {
    done,
    notes: [
      ...notesFor(is, parts.settings),
      ...(place.scope === "project"
        ? [
            "the hooks and commands of a project work only in a trusted folder; Gemini CLI announces new ones once",
          ]
        : []),
      'restart open sessions; start a loop with /ralph "TASK"; see also /ralph-status and /cancel-ralph',
    ],
  };
}

export function uninstallGemini(place: Place): Installed {
  return { done: uninstallParts(partsFor(place)), notes: [] };
}
