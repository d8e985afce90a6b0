// opencode plugin: /ralph starts a loop in the session, which continues whenever the session is idle.
// opencode calls every export of this file as a plugin, so there must be exactly one.
import { UsageError } from "#spec/errors";
import type { Sessions } from "#spec/session";
import { parseRalph } from "../arguments.ts";
import { commandSessions } from "../command-sessions.ts";
import { sessionLoop } from "../session-loop.ts";
import { noLoopToast, problemToast, refusedToast, statusToast, type Toast, warningToast } from "../toast.ts";
import type { PluginHooks, PluginInput } from "./client.ts";
import { findCommand } from "./find-command.ts";
import { opencodePorts } from "./ports.ts";
import { turns } from "./turns.ts";

const HOST = "opencode";
const OPTIONS = ["command"];

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  // A usual terminal shows about fifty characters.
  ralph: 'Loop until done: "task" [--gate CMD] [--max-iterations N] [--completion-promise TEXT]',
  "cancel-ralph": "End the Ralph loop of this session",
  "ralph-status": "Show the Ralph loop of this session",
};
/**
 * Placeholder for an argument that never exists. Without a placeholder, opencode appends the arguments to the template and
 * executes !`command` in them. With it, nothing of them gets in, and the plugin sets the prompt itself.
 */
const NO_ARGUMENTS = "$999999999";

/**
 * The plugin may be loaded twice, for the project and for the user. The last one is active, unless it has no command line
 * and the other has one.
 */
const OWNERS = Symbol.for("converge-loop/opencode");
function claimDirectory(directory: string, works: boolean): () => boolean {
  const all = globalThis as { [OWNERS]?: Map<string, object> };
  all[OWNERS] ??= new Map();
  const owners = all[OWNERS];
  const self = {};
  if (works || !owners.has(directory)) owners.set(directory, self);
  return () => owners.get(directory) === self;
}

interface Properties {
  readonly sessionID?: unknown;
  readonly info?: { readonly id?: unknown };
}

interface OpencodeEvent {
  readonly session?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Finds the session of an event. Older versions of opencode have its id only in `info`. */
function eventOf(event: { readonly type: string; readonly properties?: unknown }): OpencodeEvent {
  const { type, properties } = event;
  const data = (typeof properties === "object" && properties !== null ? properties : {}) as Properties;
  const session = data.sessionID ?? (type.startsWith("session.") ? data.info?.id : undefined);
  return { data: { ...data }, ...(typeof session === "string" && { session }) };
}

/** Returns the prompt for the model, or undefined when the command is done. */
type Command = (session: string, text: string) => Promise<string | undefined>;

interface Loop {
  readonly works: boolean;
  readonly commands: Readonly<Record<string, Command>>;
  event(type: string, session: string, data: unknown): Promise<void>;
}

function createLoop({ client, directory }: PluginInput, command: readonly string[]): Loop {
  const ports = opencodePorts(client);
  const { showToast } = ports;
  const onWarning = (text: string) => showToast(warningToast(text));
  const remoteSessions = commandSessions({ command, onWarning });
  const tracker = turns({
    find: (session) => remoteSessions.find({ host: HOST, session }),
    messages: ports.messages,
  });
  const sessions: Sessions = { ...remoteSessions, find: ({ session }) => tracker.find(session) };
  const loop = sessionLoop({ sessions, host: HOST, workdir: directory, ...ports });

  const onIdle = async (session: string): Promise<void> => {
    const idle = await tracker.idle(session);
    if (idle === "turn") await loop.handler({ event: "session.idle", sessionId: session });
    if (idle === "aborted") await loop.cancelLoop(session, "the turn was aborted");
    if (idle === "refused" && (await tracker.find(session))) showToast(refusedToast);
  };

  return {
    works: true,
    commands: {
      ralph: async (session, text) => {
        const { prompt, promise, ...wish } = parseRalph(text);
        const options = { ...wish, ...(promise !== undefined && { completionPromise: promise }) };
        if (!(await loop.startLoop(session, prompt, options))) return undefined;
        await tracker.started(session);
        return (await tracker.find(session))?.words;
      },
      "cancel-ralph": async (session) => {
        if (!(await loop.cancelLoop(session, "cancelled by a person"))) showToast(noLoopToast);
        return undefined;
      },
      "ralph-status": async (session) => {
        const current = await tracker.find(session);
        showToast(current ? statusToast(current) : noLoopToast);
        return undefined;
      },
    },
    event: async (type, session, data) => {
      if (type === "session.created") tracker.created(session);
      const { status } = data as { readonly status?: { readonly type?: string } };
      if (type === "session.status") tracker.status(session, status?.type ?? "");
      if (!tracker.mayLoop(session)) return;
      if (type === "session.idle") await onIdle(session);
      if (type === "session.error" || type === "session.deleted")
        await loop.handler({ event: type, sessionId: session, data });
    },
  };
}

/** Stub without a command line: every command fails with what is missing. */
function unavailableLoop(missing: string): Loop {
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
    return unavailableLoop(
      `unknown option ${unknown.join(", ")} of the plugin; known: ${OPTIONS.join(", ")}`,
    );
  const lookup = findCommand({ option: options.command, env: process.env, self: import.meta.url });
  return "missing" in lookup ? unavailableLoop(lookup.missing) : createLoop(input, lookup.command);
}

export const ConvergePlugin = async (
  input: PluginInput,
  options: Readonly<Record<string, unknown>> = {},
): Promise<PluginHooks> => {
  const { showToast } = opencodePorts(input.client);
  const loop = open(input, options);
  const isActive = claimDirectory(input.directory, loop.works);
  const toToast = (error: unknown): Toast => problemToast((error as Error).message);

  return {
    config: async (config) => {
      config.command ??= {};
      for (const [name, description] of Object.entries(DESCRIPTIONS))
        config.command[name] = { template: `${name} ${NO_ARGUMENTS}`, description };
    },
    "command.execute.before": async ({ command, sessionID, arguments: text }, { parts }) => {
      const answer = isActive() ? loop.commands[command] : undefined;
      if (!answer) return;
      const modelPrompt = await answer(sessionID, text).catch((error) => void showToast(toToast(error)));
      // Throwing is the only way to keep opencode from calling the model.
      if (modelPrompt === undefined)
        throw new Error(`Converge answered /${command} with a message on the screen`);
      parts.splice(0, parts.length, { type: "text", text: modelPrompt });
    },
    event: async ({ event }) => {
      const { session, data } = eventOf(event);
      if (session === undefined || !isActive()) return;
      await loop.event(event.type, session, data).catch((error) => showToast(toToast(error)));
    },
  };
};
