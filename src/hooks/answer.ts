// A hook's call from start to end: its JSON in, our answer out, with the store opened only when there is something in it.
import fs from "node:fs";
import type { Sessions } from "#spec/session";
import { type App, openApp } from "#state/context";
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
  let opened: { readonly app: App; readonly sessions: Sessions } | undefined;
  const open = () => {
    const app = opened?.app ?? openApp(env);
    opened ??= { app, sessions: sessions(app, { warn: (warning) => warnings.push(warning) }) };
    return opened.sessions;
  };
  // Throws when it cannot be known.
  const mayHaveLoop = (key: { host: string; session: string }) =>
    fs.statSync(home.sessionFile(key.host, key.session), { throwIfNoEntry: false }) !== undefined;
  try {
    return JSON.stringify(
      await answerHook(host, event, text, { env, mayHaveLoop, sessions: open, warnings }),
    );
  } finally {
    await opened?.app.store.close();
  }
}
