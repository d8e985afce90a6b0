// Session loops in Gemini CLI: three hooks in its settings, and commands that hand what is typed to them as it is.
import os from "node:os";
import path from "node:path";
import { program } from "../program.ts";
import { editJson, OURS, putFiles, removeFiles } from "./files.ts";
import { type CommandHook, type Json, setHooks } from "./hook-settings.ts";
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

function commandsIn(folder: string): Record<string, string> {
  const files = Object.entries(COMMANDS).map(([name, description]) => [
    path.join(folder, "commands", `${name}.toml`),
    `# ${OURS}\ndescription = "${description} (Converge)"\nprompt = """/${name} {{args}}"""\n`,
  ]);
  return Object.fromEntries(files);
}

function hooksOf(env: NodeJS.ProcessEnv): Record<string, CommandHook> {
  const hook = (event: string) => ({ name: "converge", command: `${program(env)} hook gemini-${event}` });
  const patient = (event: string) => ({ ...hook(event), timeout: TIMEOUT });
  return { BeforeAgent: patient("before"), AfterAgent: patient("after"), SessionEnd: hook("end") };
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
  const folder = folderOf(place);
  const file = path.join(folder, "settings.json");
  let settings: Json = {};
  const changed = editJson(file, (document) => {
    settings = setHooks(document, "gemini", hooksOf(place.env));
    return settings;
  });
  const { done, notes } = putFiles(commandsIn(folder));
  return {
    done: [...(changed ? [`put three hooks into ${file}`] : []), ...done],
    notes: [
      ...notes,
      ...notesOn(settings, file),
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
  const folder = folderOf(place);
  const file = path.join(folder, "settings.json");
  const changed = editJson(file, (document) => setHooks(document, "gemini", {}));
  const removed = removeFiles(Object.keys(commandsIn(folder)));
  return {
    done: [
      ...(changed ? [`took our hooks out of ${file}`] : []),
      ...removed.map((command) => `removed ${command}`),
    ],
    notes: [],
  };
}
