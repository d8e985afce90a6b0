// Session loops in Gemini CLI: three hooks in its settings, and commands that hand what is typed to them as it is.
import os from "node:os";
import path from "node:path";
import type { Json } from "../json.ts";
import { ownCommand } from "../own-package.ts";
import { markFor } from "./own-files.ts";
import { type Parts, putIn, takeOut } from "./parts.ts";
import type { Installed, Place } from "./place.ts";

/** Gates may take their time: a day, in milliseconds. When a hook has none left, the session stops. */
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
  const patient = (event: string) => ({ ...hook(event), timeout: TIMEOUT });
  const files = Object.entries(COMMANDS).map(([name, description]) => [
    path.join(commands, `${name}.toml`),
    commandText(name, description),
  ]);
  return {
    host: "gemini",
    settings: path.join(folder, "settings.json"),
    hooks: { BeforeAgent: patient("before"), AfterAgent: patient("after"), SessionEnd: hook("end") },
    files: Object.fromEntries(files),
    kind: "command",
    remedy: "rename it, and try again",
    folders: place.scope === "project" ? [commands, folder] : [commands],
  };
}

/** What these settings themselves have to say about loops. */
function notesOn({ hooksConfig, model }: Json, file: string): string[] {
  const { enabled } = (hooksConfig ?? {}) as { readonly enabled?: unknown };
  const { disableLoopDetection } = (model ?? {}) as { readonly disableLoopDetection?: unknown };
  return [
    ...(enabled === false
      ? [`"hooksConfig.enabled" is false in ${file}: no hook runs before it is true`]
      : []),
    ...(disableLoopDetection === true
      ? []
      : [
          `Gemini CLI looks for loops by itself from the 30th turn on, and may halt a long one: set "model": {"disableLoopDetection": true} in ${file} if yours are longer`,
        ]),
  ];
}

export function installGemini(place: Place): Installed {
  const parts = partsFor(place);
  const { is, done } = putIn(parts);
  return {
    done,
    notes: [
      ...notesOn(is, parts.settings),
      ...(place.scope === "project"
        ? [
            "the hooks and commands of a project work only in a folder that you trust; Gemini CLI tells of new ones once",
          ]
        : []),
      'sessions that are open see it after a restart; start a loop with /ralph "what is wanted"; /ralph-status and /cancel-ralph go with it',
    ],
  };
}

export function uninstallGemini(place: Place): Installed {
  return { done: takeOut(partsFor(place)), notes: [] };
}
