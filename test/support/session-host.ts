// Minimal fake of a session host: conversations are arrays, and the test fires the events.

import type { SessionLoopOptions, SessionMessage, StartLoopOptions } from "#hooks/session-loop";
import { sessionLoop } from "#hooks/session-loop";
import { type SessionsOptions, sessions } from "#hooks/sessions/session-runs";
import type { Toast } from "#hooks/toast";
import type { Sessions } from "#spec/session";
import { openContext } from "#state/context";
import { folders } from "./folders.ts";

type Say = string | { readonly role?: string; readonly content?: string };

export interface SessionHostOptions extends Partial<SessionLoopOptions> {
  readonly keeper?: Partial<SessionsOptions>;
  /** Wraps the session store before the hook gets it. */
  readonly between?: (keeper: Sessions) => Sessions;
}

export function sessionHost(options: SessionHostOptions = {}) {
  const place = folders();
  const env = { CONVERGE_HOME: place.files, XDG_CONFIG_HOME: place.files };
  const conversations = new Map<string, SessionMessage[]>();
  const toasts: Toast[] = [];
  const injected: [session: string, words: string][] = [];
  const warnings: string[] = [];
  const of = (session: string) => {
    if (!conversations.has(session)) conversations.set(session, []);
    return conversations.get(session) as SessionMessage[];
  };
  const { keeper: given, between = (keeper) => keeper, ...ports } = options;
  const app = openContext(env);
  const keeper = () =>
    sessions(openContext(env), { retryMs: 30, warn: (text) => warnings.push(text), ...given });
  const open = () =>
    sessionLoop({
      sessions: between(keeper()),
      host: "test",
      workdir: place.dir,
      getMessages: async (session) => of(session),
      injectPrompt: async (session, words) => {
        injected.push([session, words]);
        of(session).push({ role: "user", content: words });
      },
      showToast: (toast) => void toasts.push(toast),
      ...ports,
      config: { continuationDelay: 0, ...ports.config },
    });
  const host = {
    ...place,
    app,
    env,
    keeper,
    hook: open(),
    toasts,
    injected,
    warnings,
    of,
    titles: () => toasts.map(({ title }) => title),
    said: () => toasts.map(({ title, message }) => `${title}: ${message}`).join("\n"),
    /** Restarts the host: keeps the conversations, drops the hook's state. */
    restart: () => {
      host.hook = open();
    },
    /** Starts a loop like the command /ralph: the host itself adds the prompt to the session. */
    ralph: async (task: string, wish: StartLoopOptions = {}, session = "one") => {
      const started = await host.hook.startLoop(session, task, wish);
      const state = await host.hook.getState(session);
      if (started) of(session).push({ role: "user", content: state?.words ?? "" });
      return started;
    },
    fire: (event: string, data?: unknown, session = "one") =>
      host.hook.handler({ event, sessionId: session, data }),
    error: (name: string, message = "", session = "one") =>
      host.fire("session.error", { error: { name, data: { message } } }, session),
    idle: (session = "one") => host.fire("session.idle", undefined, session),
    /** Adds the messages of one turn to the session and fires the idle event. */
    turn: async (say: Say | readonly Say[], session = "one") => {
      for (const one of [say].flat() as Say[])
        of(session).push(typeof one === "string" ? { role: "assistant", content: one } : one);
      await host.idle(session);
    },
    iteration: async (session = "one") => (await host.hook.getState(session))?.iteration,
  };
  return host;
}

export const DONE = "<promise>DONE</promise>";
