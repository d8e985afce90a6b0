// Session loops for programs whose hooks are commands: an event comes in as JSON, and the answer says whether the session
// continues. On any error the session is left alone and the user is told why, because the session is the user's own.
import * as z from "zod";
import type { SessionKey, SessionLoop, Sessions, Turn, TurnAnswer } from "#spec/session";
import { head, plain } from "#text/plain-text";
import { parseRalph } from "./arguments.ts";
import { answerToast, cancelToast, noLoopToast, startToast, type Toast } from "./toast.ts";

/** Fields of a hook's input; each program omits what it does not know. */
const shape = z.looseObject({
  session_id: z.string().min(1),
  cwd: z.string().optional(),
  transcript_path: z.string().nullish(),
  /** What the user typed, unprocessed. */
  prompt: z.string().optional(),
  last_assistant_message: z.string().nullish(),
  reason: z.string().optional(),
});

export type HookInput = z.output<typeof shape>;

/** A hook event, normalised across programs. */
export type HookEvent =
  | { readonly type: "typed"; readonly text: string }
  | { readonly type: "turn"; readonly turn: Omit<Turn, "iteration"> }
  /** The turn has no output, and continuing would produce none again: the loop ends, and the user is told. */
  | { readonly type: "broken-off"; readonly reason: string }
  /** The session will not be resumed. */
  | { readonly type: "gone"; readonly reason: string }
  | { readonly type: "nothing" };

/** Adapter of one program: parses its events and formats its answers. */
export interface CommandHost {
  readonly name: string;
  /** Events with a hook, as in `converge hook NAME-EVENT`. */
  readonly events: readonly string[];
  /** `loop` is the session's loop, when there is one. */
  read(event: string, input: HookInput, loop: SessionLoop | undefined): HookEvent | Promise<HookEvent>;
  /** The folder that the session works in. */
  dirOf(input: HookInput, env: NodeJS.ProcessEnv): string;
  /** Passes the prompt to the model with additional context. */
  startOutput(loop: SessionLoop, said: string): object;
  /** Blocks the prompt; `said` is for the user. */
  blockOutput(said: string): object;
  /** Makes the session continue with the loop's prompt. */
  continueOutput(loop: SessionLoop, said: string): object;
  /** Lets the session proceed as without a hook. */
  allowOutput(said?: string): object;
  /** Advice for the user when a loop starts. */
  advice?(loop: SessionLoop, input: HookInput, env: NodeJS.ProcessEnv): string | undefined;
  /** True when another installation of ours answers this event. */
  isHandledByAnother?(event: string, input: HookInput, env: NodeJS.ProcessEnv): boolean;
}

/** A program and one of its events: `claude-stop` is Claude Code's hook for the end of a turn. */
export interface CommandHook {
  readonly host: CommandHost;
  readonly event: string;
}

/** Unescapes promise tags: some programs XML-escape our prompt, and the model may repeat the escaped tag. */
export function unescapePromiseTags(message: string): string {
  return message.replace(/&lt;(\/?promise)&gt;/gi, "<$1>");
}

export interface HookContext {
  readonly env: NodeJS.ProcessEnv;
  /** Fast check without opening the store: false when the session has no loop. */
  mayHaveLoop(key: SessionKey): boolean;
  readonly sessions: () => Sessions;
  /** Warnings collected so far. */
  readonly warnings: readonly string[];
}

const MAX_CHARS = 4_000;
const COMMAND = /^\s*[/$](?:converge:)?(ralph|cancel-ralph|ralph-status)(?=\s|$)([\s\S]*)$/;

const formatToast = ({ title, message }: Toast) => `${title}. ${message}`;

function joinTexts(...texts: readonly (string | undefined)[]): string {
  return head(plain(texts.filter(Boolean).join("\n")), MAX_CHARS);
}

function statusOf(loop: SessionLoop): string {
  const { iteration, maxIterations, promise, gates, prompt, run, startedAt } = loop;
  return [
    `Iteration ${iteration} of ${maxIterations}, since ${startedAt}. Run ${run}.`,
    `Ends with <promise>${promise}</promise>${gates.length === 0 ? "" : ` when these gates pass: ${gates.join(", ")}`}.`,
    `Task: ${prompt}`,
    `\`converge show ${run}\` shows details, /cancel-ralph ends it.`,
  ].join("\n");
}

/** One call of a hook. */
interface HookCall {
  readonly host: CommandHost;
  readonly key: SessionKey;
  readonly input: HookInput;
}

async function answerTyped({ host, key, input }: HookCall, text: string, context: HookContext) {
  const [, name, rest = ""] = COMMAND.exec(text) ?? [];
  if (name === undefined) return host.allowOutput();
  const { env, warnings } = context;
  const sessions = context.sessions();
  if (name === "ralph") {
    const { prompt, ...wish } = parseRalph(rest);
    const loop = await sessions.start(key, { prompt, dir: host.dirOf(input, env), ...wish });
    return host.startOutput(
      loop,
      joinTexts(formatToast(startToast(loop)), host.advice?.(loop, input, env), ...warnings),
    );
  }
  if (name === "ralph-status") {
    const loop = await sessions.find(key);
    return host.blockOutput(
      joinTexts(loop && !loop.ended ? statusOf(loop) : formatToast(noLoopToast), ...warnings),
    );
  }
  const reason = "cancelled by a person";
  const ended = await sessions.cancel(key, reason);
  return host.blockOutput(
    joinTexts(formatToast(ended ? cancelToast(ended, reason) : noLoopToast), ...warnings),
  );
}

function answerTurn(host: CommandHost, answer: TurnAnswer, warnings: readonly string[]): object {
  const toast = answerToast(answer);
  const text = joinTexts(toast && formatToast(toast), ...warnings);
  if (answer.type === "go-on") return host.continueOutput(answer.loop, text);
  const later =
    answer.type === "later" || answer.type === "rest" ? "The loop continues after your next message." : "";
  return text || later ? host.allowOutput(joinTexts(text, later)) : host.allowOutput();
}

async function answerTo(
  { host, event }: CommandHook,
  input: HookInput,
  context: HookContext,
): Promise<object> {
  if (host.isHandledByAnother?.(event, input, context.env)) return host.allowOutput();
  const key = { host: host.name, session: input.session_id };
  const loop = context.mayHaveLoop(key) ? await context.sessions().find(key) : undefined;
  const happened = await host.read(event, input, loop);
  if (happened.type === "typed") return answerTyped({ host, key, input }, happened.text, context);
  if (!loop || happened.type === "nothing")
    return context.warnings.length > 0
      ? host.allowOutput(joinTexts(...context.warnings))
      : host.allowOutput();
  if (happened.type === "gone" || happened.type === "broken-off") {
    const ended = await context.sessions().cancel(key, happened.reason);
    const toastText =
      happened.type === "broken-off" && ended && formatToast(cancelToast(ended, happened.reason));
    return toastText ? host.allowOutput(joinTexts(toastText, ...context.warnings)) : host.allowOutput();
  }
  const turn = { ...happened.turn, iteration: loop.iteration };
  return answerTurn(host, await context.sessions().turn(key, turn), context.warnings);
}

/** Never throws: reports an error to the user and leaves the session alone. */
export async function answerHook(hook: CommandHook, text: string, context: HookContext): Promise<object> {
  const { host } = hook;
  let input: HookInput | undefined;
  try {
    input = shape.parse(JSON.parse(text));
    return await answerTo(hook, input, context);
  } catch (error) {
    const { name, message } = error as Error;
    const isUserError = name === "UsageError" || name === "ConfigError";
    const why = input === undefined ? "the hook received invalid JSON" : message;
    // Blocks a typed command with the reason: a model that got it without a loop would be confused.
    if (COMMAND.test(input?.prompt ?? ""))
      return host.blockOutput(
        joinTexts(isUserError ? message : `converge: ${message}; the command was not executed`),
      );
    return host.allowOutput(joinTexts(`converge: ${why}; the session was left alone`));
  }
}
