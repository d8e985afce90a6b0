// A session of a program whose hooks are commands, with the real keeper behind them and a state folder of its own.
import fs from "node:fs";
import path from "node:path";
import { answerCommandHook, COMMAND_HOOKS } from "#hooks/answer-command-hook";
import { foldAll } from "#loop/fold";
import { openContext } from "#state/context";
import { folders } from "./folders.ts";

/** What a hook may answer, of all programs. */
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
    /** Calls the hook; an event that the program has none for is a mistake of the test. */
    call: async (event: string, input: object): Promise<HookAnswer> => {
      const hook = COMMAND_HOOKS.get(`${host}-${event}`);
      if (!hook) throw new Error(`${host} has no event ${event}`);
      const told = { session_id: "session-1", cwd: dir, ...input };
      return JSON.parse(await answerCommandHook(hook, JSON.stringify(told), env));
    },
    /** The run that the newest loop is kept as. */
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
