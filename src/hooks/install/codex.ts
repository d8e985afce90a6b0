// Installs session loops in Codex: two hooks, and skills that make `$ralph` known to Codex and the model. Never marks a
// hook as trusted: only the user may do that, in Codex.
import os from "node:os";
import path from "node:path";
import { ownCommand } from "../own-package.ts";
import { markFor } from "./own-files.ts";
import { installParts, type Parts, uninstallParts } from "./parts.ts";
import type { Installed, Place } from "./place.ts";

/** Timeout of a hook in seconds: a day, because gates may take long. */
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

function skillText(name: keyof typeof SKILLS): string {
  const { description, text } = SKILLS[name];
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n<!-- ${markFor("codex")} -->\n\n${text}\n`;
}

function partsFor(place: Place): Parts {
  const folder = folderOf(place);
  const skills = path.join(folder, "skills");
  const names = Object.keys(SKILLS) as (keyof typeof SKILLS)[];
  const { command } = ownCommand(place.env);
  const hook = (event: string) => ({
    type: "command",
    command: `${command} hook codex-${event}`,
    timeout: TIMEOUT,
  });
  return {
    host: "codex",
    settings: path.join(folder, "hooks.json"),
    hooks: { UserPromptSubmit: hook("prompt"), Stop: hook("stop") },
    files: Object.fromEntries(names.map((name) => [path.join(skills, name, "SKILL.md"), skillText(name)])),
    kind: "skill",
    remedy: "rename it, and try again",
    folders: [
      ...names.map((name) => path.join(skills, name)),
      skills,
      ...(place.scope === "project" ? [folder] : []),
    ],
  };
}

export function installCodex(place: Place): Installed {
  const { done } = installParts(partsFor(place));
  return {
    done,
    notes: [
      "Codex asks you to review new hooks at its next start, and lists them under /hooks: no hook runs before you trust it there",
      "codex exec silently skips untrusted hooks: trust them in the terminal interface first",
      ...(place.scope === "project" ? ["the hooks of a project run only where you trust its folder"] : []),
      'start a loop with $ralph "TASK"; see also $ralph-status and $cancel-ralph',
    ],
  };
}

export function uninstallCodex(place: Place): Installed {
  return { done: uninstallParts(partsFor(place)), notes: [] };
}
