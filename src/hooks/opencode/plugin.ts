// The plugin for opencode: /ralph starts a loop in the session, and whenever the session is idle it goes on.
// opencode calls every export of this file as a plugin: there is exactly one.
import { UsageError } from "#spec/errors";
import type { Sessions } from "#spec/session";
import { parseRalph } from "../arguments.ts";
import { commandSessions } from "../command-sessions.ts";
import { sessionLoop } from "../session-loop.ts";
import { noLoopToast, problemToast, refusedToast, statusToast, type Toast, warningToast } from "../toast.ts";
import type { PluginHooks, PluginInput } from "./client.ts";
import { eventOf } from "./event.ts";
import { findCommand } from "./find-command.ts";
import { opencodePorts } from "./ports.ts";
import { turns } from "./turns.ts";

const HOST = "opencode";
const OPTIONS = ["command"];

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  // A terminal of usual width shows some fifty characters.
  ralph: 'Loop until done: "task" [--gate CMD] [--max-iterations N] [--completion-promise TEXT]',
  "cancel-ralph": "End the Ralph loop of this session",
  "ralph-status": "Show the Ralph loop of this session",
};
/**
 * A word that is never given. opencode puts the arguments into a template that asks for none, and runs what they
 * quote as !`command`: with this nothing of them gets in, and we set the words ourselves.
 */
const NO_ARGUMENTS = "$999999999";

/**
 * The plugin may be loaded twice, for the project and for the user: the one that came last is heard, unless it lacks the
 * command line and the other does not.
 */
const OWNERS = Symbol.for("converge-loop/opencode");
function own(directory: string, works: boolean): () => boolean {
  const all = globalThis as { [OWNERS]?: Map<string, object> };
  all[OWNERS] ??= new Map();
  const owners = all[OWNERS];
  const self = {};
  if (works || !owners.has(directory)) owners.set(directory, self);
  return () => owners.get(directory) === self;
}

/** What a command answers: the words for the model, or nothing when all has been said. */
type Command = (session: string, text: string) => Promise<string | undefined>;

interface Loop {
  readonly works: boolean;
  readonly commands: Readonly<Record<string, Command>>;
  event(type: string, session: string, data: unknown): Promise<void>;
}

function loopIn({ client, directory }: PluginInput, command: readonly string[]): Loop {
  const ports = opencodePorts(client);
  const { showToast } = ports;
  const onWarning = (text: string) => showToast(warningToast(text));
  const kept = commandSessions({ command, onWarning });
  const heard = turns({
    find: (session) => kept.find({ host: HOST, session }),
    messages: ports.messages,
  });
  const sessions: Sessions = { ...kept, find: ({ session }) => heard.find(session) };
  const loop = sessionLoop({ sessions, host: HOST, workdir: directory, ...ports });

  const onIdle = async (session: string): Promise<void> => {
    const idle = await heard.idle(session);
    if (idle === "turn") await loop.handler({ event: "session.idle", sessionId: session });
    if (idle === "aborted") await loop.cancelLoop(session, "the turn was aborted");
    if (idle === "refused" && (await heard.find(session))) showToast(refusedToast);
  };

  return {
    works: true,
    commands: {
      ralph: async (session, text) => {
        const { prompt, promise, ...wish } = parseRalph(text);
        const options = { ...wish, ...(promise !== undefined && { completionPromise: promise }) };
        if (!(await loop.startLoop(session, prompt, options))) return undefined;
        await heard.started(session);
        return (await heard.find(session))?.words;
      },
      "cancel-ralph": async (session) => {
        if (!(await loop.cancelLoop(session, "cancelled by a person"))) showToast(noLoopToast);
        return undefined;
      },
      "ralph-status": async (session) => {
        const found = await heard.find(session);
        showToast(found ? statusToast(found) : noLoopToast);
        return undefined;
      },
    },
    event: async (type, session, data) => {
      if (type === "session.created") heard.created(session);
      const { status } = data as { readonly status?: { readonly type?: string } };
      if (type === "session.status") heard.status(session, status?.type ?? "");
      if (!heard.mayLoop(session)) return;
      if (type === "session.idle") await onIdle(session);
      if (type === "session.error" || type === "session.deleted")
        await loop.handler({ event: type, sessionId: session, data });
    },
  };
}

/** Without the command line there is no loop: whoever asks for one is told what is missing. */
function loopless(missing: string): Loop {
  const refuse: Command = async () => {
    throw new UsageError(missing);
  };
  const names = Object.keys(DESCRIPTIONS);
  return {
    works: false,
    commands: Object.fromEntries(names.map((name) => [name, refuse])),
    event: async () => {},
  };
}

function open(input: PluginInput, options: Readonly<Record<string, unknown>>): Loop {
  const unknown = Object.keys(options).filter((name) => !OPTIONS.includes(name));
  if (unknown.length > 0)
    return loopless(`unknown option ${unknown.join(", ")} of the plugin; there is: ${OPTIONS.join(", ")}`);
  const found = findCommand({ option: options.command, env: process.env, self: import.meta.url });
  return "missing" in found ? loopless(found.missing) : loopIn(input, found.command);
}

export const ConvergePlugin = async (
  input: PluginInput,
  options: Readonly<Record<string, unknown>> = {},
): Promise<PluginHooks> => {
  const { showToast } = opencodePorts(input.client);
  const loop = open(input, options);
  const isOurs = own(input.directory, loop.works);
  const complain = (error: unknown): Toast => problemToast((error as Error).message);

  return {
    config: async (config) => {
      config.command ??= {};
      for (const [name, description] of Object.entries(DESCRIPTIONS))
        config.command[name] = { template: `${name} ${NO_ARGUMENTS}`, description };
    },
    "command.execute.before": async ({ command, sessionID, arguments: text }, { parts }) => {
      const answer = isOurs() ? loop.commands[command] : undefined;
      if (!answer) return;
      const words = await answer(sessionID, text).catch((error) => void showToast(complain(error)));
      // Throwing is the one way to keep opencode from asking the model.
      if (words === undefined)
        throw new Error(`Converge has answered /${command} with a message on the screen`);
      parts.splice(0, parts.length, { type: "text", text: words });
    },
    event: async ({ event }) => {
      const { session, data } = eventOf(event);
      if (session === undefined || !isOurs()) return;
      await loop.event(event.type, session, data).catch((error) => showToast(complain(error)));
    },
  };
};
