// Answers one hook call: JSON in, JSON out. Opens the store only when the session may have a loop.
import fs from "node:fs";
import type { Sessions } from "#spec/session";
import { type Context, openContext } from "#state/context";
import { homeFrom } from "#state/home";
import { answerHook, type CommandHost } from "./command-hook.ts";
import { sessions } from "./sessions/session-runs.ts";

export async function answer(
  host: CommandHost,
  event: string,
  text: string,
  env = process.env,
): Promise<string> {
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
    return JSON.stringify(
      await answerHook(host, event, text, { env, mayHaveLoop, sessions: open, warnings }),
    );
  } finally {
    await context?.app.store.close();
  }
}
