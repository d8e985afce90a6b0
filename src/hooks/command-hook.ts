// Session loops for programs whose hooks are commands: what happened comes in as JSON, and the answer says whether the
// session goes on. Whatever goes wrong here, the session is let go and told why: it is the user's own.
import * as z from "zod";
import type { SessionKey, SessionLoop, Sessions, Turn, TurnAnswer } from "#spec/session";
import { head, plain } from "#text/plain-text";
import { parseRalph } from "./arguments.ts";
import { answerToast, cancelToast, noLoopToast, startToast, type Toast } from "./toast.ts";

/** What the programs tell; each leaves out what it does not know. */
const shape = z.looseObject({
  session_id: z.string().min(1),
  cwd: z.string().optional(),
  transcript_path: z.string().nullish(),
  /** What the user typed, before anything is made of it. */
  prompt: z.string().optional(),
  last_assistant_message: z.string().nullish(),
  reason: z.string().optional(),
});

export type HookInput = z.output<typeof shape>;

/** What happened, in our words. */
export type Happening =
  | { readonly type: "typed"; readonly text: string }
  | { readonly type: "turn"; readonly turn: Omit<Turn, "iteration"> }
  /** Nothing was answered, and going on would be answered by nothing again: the loop ends, and the user is told. */
  | { readonly type: "broken-off"; readonly reason: string }
  /** The session will not come back under this name. */
  | { readonly type: "gone"; readonly reason: string }
  | { readonly type: "nothing" };

/** One program: its name, how its events read, and how it wants to be answered. */
export interface CommandHost {
  readonly name: string;
  /** The events that it has hooks for, as in `converge hook NAME-EVENT`. */
  readonly events: readonly string[];
  /** `loop` is the session's loop, when there is one. */
  read(event: string, input: HookInput, loop: SessionLoop | undefined): Happening | Promise<Happening>;
  /** The folder that the session works in. */
  dirOf(input: HookInput, env: NodeJS.ProcessEnv): string;
  /** Lets the prompt through, with more words for the model. */
  started(loop: SessionLoop, said: string): object;
  /** Keeps the prompt from the model; `said` is for the user. */
  refused(said: string): object;
  /** Makes the session go on with the loop's words. */
  goesOn(loop: SessionLoop, said: string): object;
  /** Lets the session do what it would do by itself. */
  letsGo(said?: string): object;
  /** What its user should know or do, besides, when a loop starts. */
  advice?(loop: SessionLoop, input: HookInput, env: NodeJS.ProcessEnv): string | undefined;
  /** Another installation of ours answers for this event. */
  standsBack?(event: string, input: HookInput, env: NodeJS.ProcessEnv): boolean;
}

export interface HookContext {
  readonly env: NodeJS.ProcessEnv;
  /** Tells quickly, without opening anything, that a session has no loop. */
  mayHaveLoop(key: SessionKey): boolean;
  readonly sessions: () => Sessions;
  /** What was warned of meanwhile. */
  readonly warnings: readonly string[];
}

const SAID_CHARS = 4_000;
const COMMAND = /^\s*[/$](?:converge:)?(ralph|cancel-ralph|ralph-status)(?=\s|$)([\s\S]*)$/;

const said = ({ title, message }: Toast) => `${title}. ${message}`;

function joined(...texts: readonly (string | undefined)[]): string {
  return head(plain(texts.filter(Boolean).join("\n")), SAID_CHARS);
}

function statusOf(loop: SessionLoop): string {
  const { iteration, maxIterations, promise, gates, prompt, run, startedAt } = loop;
  return [
    `Iteration ${iteration} of ${maxIterations}, since ${startedAt}. Run ${run}.`,
    `Ends with <promise>${promise}</promise>${gates.length === 0 ? "" : ` when these gates pass: ${gates.join(", ")}`}.`,
    `Task: ${prompt}`,
    `\`converge show ${run}\` tells what it did, /cancel-ralph ends it.`,
  ].join("\n");
}

async function typed(
  host: CommandHost,
  key: SessionKey,
  input: HookInput,
  text: string,
  context: HookContext,
) {
  const [, name, rest = ""] = COMMAND.exec(text) ?? [];
  if (name === undefined) return host.letsGo();
  const { env, warnings } = context;
  const sessions = context.sessions();
  if (name === "ralph") {
    const { prompt, ...wish } = parseRalph(rest);
    const loop = await sessions.start(key, { prompt, dir: host.dirOf(input, env), ...wish });
    return host.started(loop, joined(said(startToast(loop)), host.advice?.(loop, input, env), ...warnings));
  }
  if (name === "ralph-status") {
    const loop = await sessions.find(key);
    return host.refused(joined(loop && !loop.ended ? statusOf(loop) : said(noLoopToast), ...warnings));
  }
  const reason = "cancelled by a person";
  const ended = await sessions.cancel(key, reason);
  return host.refused(joined(said(ended ? cancelToast(ended, reason) : noLoopToast), ...warnings));
}

function answered(host: CommandHost, answer: TurnAnswer, warnings: readonly string[]): object {
  const toast = answerToast(answer);
  const text = joined(toast && said(toast), ...warnings);
  if (answer.type === "go-on") return host.goesOn(answer.loop, text);
  const later =
    answer.type === "later" || answer.type === "rest" ? "The loop goes on after your next message." : "";
  return text || later ? host.letsGo(joined(text, later)) : host.letsGo();
}

async function answerTo(
  host: CommandHost,
  event: string,
  input: HookInput,
  context: HookContext,
): Promise<object> {
  if (host.standsBack?.(event, input, context.env)) return host.letsGo();
  const key = { host: host.name, session: input.session_id };
  const loop = context.mayHaveLoop(key) ? await context.sessions().find(key) : undefined;
  const happening = await host.read(event, input, loop);
  if (happening.type === "typed") return typed(host, key, input, happening.text, context);
  if (!loop || happening.type === "nothing")
    return context.warnings.length > 0 ? host.letsGo(joined(...context.warnings)) : host.letsGo();
  if (happening.type === "gone" || happening.type === "broken-off") {
    const ended = await context.sessions().cancel(key, happening.reason);
    const told = happening.type === "broken-off" && ended && said(cancelToast(ended, happening.reason));
    return told ? host.letsGo(joined(told, ...context.warnings)) : host.letsGo();
  }
  const turn = { ...happening.turn, iteration: loop.iteration };
  return answered(host, await context.sessions().turn(key, turn), context.warnings);
}

/** Never throws: what is wrong is told to the user, and the session is let go. */
export async function answerHook(
  host: CommandHost,
  event: string,
  text: string,
  context: HookContext,
): Promise<object> {
  let input: HookInput | undefined;
  try {
    input = shape.parse(JSON.parse(text));
    return await answerTo(host, event, input, context);
  } catch (error) {
    const { name, message } = error as Error;
    const isOurs = name === "UsageError" || name === "ConfigError";
    const why = input === undefined ? "the hook was given something that is not its JSON" : message;
    // Whoever typed a command is told in its place; a model that got it without a loop would only be confused.
    if (COMMAND.test(input?.prompt ?? ""))
      return host.refused(joined(isOurs ? message : `converge: ${message}; the command was not carried out`));
    return host.letsGo(joined(`converge: ${why}; the session was left alone`));
  }
}
