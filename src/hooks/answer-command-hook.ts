// Answers one hook call: JSON in, JSON out. Opens the store only when the session may have a loop.
import fs from "node:fs";
import type { Sessions } from "#spec/session";
import { type Context, openContext } from "#state/context";
import { homeFrom } from "#state/home";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { answerHook, type CommandHook, type CommandHost } from "./command-hook.ts";
import { gemini } from "./gemini.ts";
import { sessions } from "./sessions/session-runs.ts";

/** Programs whose hooks are commands. */
const HOSTS: readonly CommandHost[] = [claude, codex, gemini];

/** All hooks by the NAME of `converge hook NAME`. */
export const COMMAND_HOOKS: ReadonlyMap<string, CommandHook> = new Map(
  HOSTS.flatMap((host) => host.events.map((event) => [`${host.name}-${event}`, { host, event }] as const)),
);

export async function answerCommandHook(hook: CommandHook, text: string, env = process.env): Promise<string> {
  const warnings: string[] = [];
  const home = homeFrom(env);
  let context: { readonly app: Context; readonly sessions: Sessions } | undefined;
  const open = () => {
    const app = context?.app ?? openContext(env);
    context ??= { app, sessions: sessions(app, { warn: (warning) => warnings.push(warning) }) };
    return context.sessions;
  };
  // Throws when the state folder cannot be read.
  const mayHaveLoop = (key: { host: string; session: string }) =>
    fs.statSync(home.sessionFile(key.host, key.session), { throwIfNoEntry: false }) !== undefined;
  try {
    return JSON.stringify(await answerHook(hook, text, { env, mayHaveLoop, sessions: open, warnings }));
  } finally {
    await context?.app.store.close();
  }
}
