// Calls command hooks as a session host would, with the real session store in its own state folder.
import fs from "node:fs";
import path from "node:path";
import { answerCommandHook, COMMAND_HOOKS } from "#hooks/answer-command-hook";
import { foldAll } from "#loop/fold";
import { openContext } from "#state/context";
import { folders } from "./folders.ts";

/** Union of the answers that hooks give to all hosts. */
export interface HookAnswer {
  readonly decision?: string;
  readonly reason?: string;
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly hookEventName: string; readonly additionalContext: string };
}

export function hookSession(host: string) {
  const { dir, files } = folders();
  const config = path.join(files, "converge");
  fs.mkdirSync(config);
  fs.writeFileSync(path.join(config, "config.yaml"), "isolation: off\n");
  const env = { ...process.env, CONVERGE_HOME: path.join(files, "home"), XDG_CONFIG_HOME: files };
  return {
    dir,
    files,
    /** Calls the hook for the event. Throws when the host has no such event. */
    call: async (event: string, input: object): Promise<HookAnswer> => {
      const hook = COMMAND_HOOKS.get(`${host}-${event}`);
      if (!hook) throw new Error(`${host} has no event ${event}`);
      const told = { session_id: "session-1", cwd: dir, ...input };
      return JSON.parse(await answerCommandHook(hook, JSON.stringify(told), env));
    },
    /** The run of the newest loop. */
    run: async () => {
      const { store } = openContext(env);
      try {
        const [row] = await store.runs();
        return row && foldAll(await store.read(row.id));
      } finally {
        await store.close();
      }
    },
  };
}
