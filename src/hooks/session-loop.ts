// Session loop for any host program: takes the host's events, sends prompts and toasts.
import { UsageError } from "#spec/errors";
import type { SessionLoop } from "#spec/session";
import { EVENTS, EventHandler } from "./event-handler.ts";
import type {
  SessionLoopConfig,
  SessionLoopHook,
  SessionLoopOptions,
  SessionLoopState,
  StartLoopOptions,
} from "./host.ts";
import { problemToast } from "./toast.ts";

export type * from "./host.ts";

function stateOf(loop: SessionLoop): SessionLoopState {
  const { iteration, maxIterations, promise, startedAt, lastIterationAt, prompt, session, run, words } = loop;
  return {
    active: true,
    iteration,
    maxIterations,
    completionPromise: promise,
    startedAt,
    lastIterationAt,
    prompt,
    sessionId: session,
    ...(loop.description !== undefined && { description: loop.description }),
    run,
    words,
  };
}

function wishOf(prompt: string, options: StartLoopOptions, defaults: Partial<SessionLoopConfig>) {
  const { gates, description } = options;
  const maxIterations = options.maxIterations ?? defaults.defaultMaxIterations;
  const promise = options.completionPromise ?? defaults.defaultCompletionPromise;
  return {
    prompt,
    ...(maxIterations !== undefined && { maxIterations }),
    ...(promise !== undefined && { promise }),
    ...(gates && { gates }),
    ...(description !== undefined && { description }),
  };
}

export function sessionLoop(options: SessionLoopOptions): SessionLoopHook {
  const { host = "session", config = {}, ...ports } = options;
  const { enabled = true, continuationDelay = 500 } = config;
  const handler = new EventHandler({ ...ports, host, continuationDelay });
  return {
    name: "converge-session-loop",
    description: "Continues a session until its promise is given and its gates pass",
    events: EVENTS,
    startLoop: async (session, prompt, startOptions = {}) => {
      if (!enabled) return false;
      try {
        await handler.start(session, wishOf(prompt, startOptions, config));
        return true;
      } catch (error) {
        const { message } = error as Error;
        handler.toast(
          problemToast(error instanceof UsageError ? message : `no loop was started: ${message}`),
        );
        return false;
      }
    },
    cancelLoop: (session, reason = "cancelled by a person") =>
      handler.safely(() => handler.cancel(session, reason), false),
    getState: (session) =>
      handler.safely(async () => {
        const loop = await handler.find(session);
        return loop ? stateOf(loop) : null;
      }, null),
    isLoopActive: (session) => handler.safely(async () => (await handler.find(session)) !== undefined, false),
    handler: async ({ event, sessionId, data }) => {
      if (enabled) await handler.safely(() => handler.handle(event, sessionId, data), undefined);
    },
  };
}
