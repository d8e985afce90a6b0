// Session loops in Codex: two hooks, and skills so that `$ralph` is known to Codex and to the model. Whether a hook may run
// is for the user to say, in Codex: nothing here writes down trust.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { program } from "../program.ts";
import { editJson, OURS, putFiles, removeFiles } from "./files.ts";
import { type CommandHook, setHooks } from "./hook-settings.ts";
import type { Installed, Place } from "./place.ts";

/** Gates may take their time: a day, in seconds. */
const TIMEOUT = 86_400;

const MISSING =
  'When no message that begins with "[Converge: iteration" follows, the hooks of Converge are not active: say so, say that Codex lists them under /hooks, where they have to be trusted, and do nothing else.';

const SKILLS = {
  ralph: {
    description: "Works on a task again and again until it is done. Only for when the user types $ralph.",
    text: `The user has started a loop that Converge keeps. A message that begins with "[Converge: iteration" tells the task and how it ends.\n\n${MISSING}`,
  },
  "cancel-ralph": {
    description: "Ends the loop of this session. Only for when the user types $cancel-ralph.",
    text: `Converge answers this by itself, so you should never read it. ${MISSING}`,
  },
  "ralph-status": {
    description: "Tells where the loop of this session stands. Only for when the user types $ralph-status.",
    text: `Converge answers this by itself, so you should never read it. ${MISSING}`,
  },
};

function folderOf({ scope, dir, env }: Place): string {
  if (scope === "project") return path.join(dir, ".codex");
  return path.resolve(env.CODEX_HOME || path.join(env.HOME || os.homedir(), ".codex"));
}

function skillsIn(folder: string): Record<string, string> {
  const files = Object.entries(SKILLS).map(([name, { description, text }]) => [
    path.join(folder, "skills", name, "SKILL.md"),
    `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n<!-- ${OURS} -->\n\n${text}\n`,
  ]);
  return Object.fromEntries(files);
}

function hooksOf(env: NodeJS.ProcessEnv): Record<string, CommandHook> {
  const hook = (event: string) => ({ command: `${program(env)} hook codex-${event}`, timeout: TIMEOUT });
  return { UserPromptSubmit: hook("prompt"), Stop: hook("stop") };
}

export function installCodex(place: Place): Installed {
  const folder = folderOf(place);
  const file = path.join(folder, "hooks.json");
  const changed = editJson(file, (document) => setHooks(document, "codex", hooksOf(place.env)));
  const { done, notes } = putFiles(skillsIn(folder));
  return {
    done: [...(changed ? [`put two hooks into ${file}`] : []), ...done],
    notes: [
      ...notes,
      "Codex asks you to review new hooks at its next start, and lists them under /hooks: none of them runs before you trust it there",
      "codex exec passes over hooks that are not trusted without a word: trust them in the terminal interface first",
      ...(place.scope === "project" ? ["the hooks of a project run only where you trust its folder"] : []),
      'start a loop with $ralph "what is wanted"; $ralph-status and $cancel-ralph go with it',
    ],
  };
}

export function uninstallCodex(place: Place): Installed {
  const folder = folderOf(place);
  const file = path.join(folder, "hooks.json");
  const changed = editJson(file, (document) => setHooks(document, "codex", {}));
  const removed = removeFiles(Object.keys(skillsIn(folder)));
  for (const made of removed.map((skill) => path.dirname(skill)))
    if (fs.readdirSync(made).length === 0) fs.rmdirSync(made);
  return {
    done: [
      ...(changed ? [`took our hooks out of ${file}`] : []),
      ...removed.map((skill) => `removed ${skill}`),
    ],
    notes: [],
  };
}
