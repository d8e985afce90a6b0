// Runs one ACP turn: initialize, open a session, send the prompt, and report how the turn ended.
import type {
  ClientContext,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  Stream,
} from "@agentclientprotocol/sdk";
import type { AgentRequest } from "#spec/agent";
import { oneLine } from "#text/plain-text";
import type { Failed } from "../shared/driver.ts";
import { at, listAt, textAt } from "../shared/read-json.ts";

export type Question = "initialize" | "session/new" | "session/load" | "session/resume" | "session/prompt";

/** How the turn ended, and at which request. */
export type TurnOutcome = { readonly at: Question; readonly session?: string; readonly opened?: unknown } & (
  | { readonly how: "answered"; readonly answer: unknown }
  /** An error response from the agent. */
  | { readonly how: "error"; readonly error: unknown; readonly logins: readonly string[] }
  | { readonly how: "failed"; readonly failed: Failed }
  /** No response: the agent is gone. */
  | { readonly how: "silent" }
);

export interface TurnOptions {
  readonly request: AgentRequest;
  /** Timeout until the agent is ready for the prompt. */
  readonly startMs: number;
  permit(request: RequestPermissionRequest): RequestPermissionOutcome;
  /** Called when the session gets its prompt; `cancel` asks the agent to end the turn. */
  onPrompt(session: string, cancel: () => void): void;
}

const NAME_CHARS = 100;
const MAX_LOGINS = 10;

class TurnError extends Error {
  constructor(readonly failed: Failed) {
    super(failed.reason);
  }
}

/** Applies a timeout: a program that does not speak ACP would otherwise block until the end of the iteration. */
async function withTimeout<T>(answer: Promise<T>, ms: number, question: Question): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const reason = `it did not answer ${question} within ${Math.round(ms / 1000)} s; is it an agent that speaks ACP on standard input and output?`;
    timer = setTimeout(() => reject(new TurnError({ failure: "timed-out", reason })), ms);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function loginsOf(capabilities: unknown): string[] {
  const methods = listAt(capabilities, "authMethods").slice(0, MAX_LOGINS);
  return methods
    .map((one) => oneLine(textAt(one, "name") || textAt(one, "id"), NAME_CHARS))
    .filter((name) => name !== "");
}

/** How the agent resumes a session: resume is silent, load replays the whole history. */
function resumeMethod(capabilities: unknown): "session/resume" | "session/load" {
  if (at(capabilities, "agentCapabilities", "sessionCapabilities", "resume")) return "session/resume";
  if (at(capabilities, "agentCapabilities", "loadSession") === true) return "session/load";
  const reason =
    'it cannot resume a session: it supports neither session/resume nor session/load; write "context: fresh"';
  throw new TurnError({ failure: "blocked", reason });
}

function checkVersion(capabilities: unknown, ours: number): void {
  const theirs = at(capabilities, "protocolVersion");
  if (theirs === ours) return;
  const reason = `it speaks version ${oneLine(String(theirs), NAME_CHARS)} of the protocol, but Converge speaks ${ours}; use a version of the agent that speaks ${ours}`;
  throw new TurnError({ failure: "crashed", reason });
}

export async function converse(
  stream: Stream,
  { request, startMs, permit, onPrompt }: TurnOptions,
): Promise<TurnOutcome> {
  // Imported lazily: only this kind of agent needs the library.
  const { client, PROTOCOL_VERSION } = await import("@agentclientprotocol/sdk");
  let current: Question = "initialize";
  let logins: readonly string[] = [];
  let context: { session?: string; opened?: unknown } = {};

  const runTurn = async (agent: ClientContext): Promise<TurnOutcome> => {
    const until = performance.now() + startMs;
    const ask = (question: Question, params: unknown): Promise<unknown> => {
      current = question;
      return agent.request<unknown>(question as string, params);
    };
    const askWithTimeout = (question: Question, params: unknown) =>
      withTimeout(ask(question, params), Math.max(1, until - performance.now()), question);

    const capabilities = await askWithTimeout("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      // The agent uses its own tools, and isolation controls those: it gets none of ours.
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
    checkVersion(capabilities, PROTOCOL_VERSION);
    logins = loginsOf(capabilities);
    const location = { cwd: request.dir, mcpServers: [] };
    const { session: old } = request;
    const opened =
      old === undefined
        ? await askWithTimeout("session/new", location)
        : await askWithTimeout(resumeMethod(capabilities), { ...location, sessionId: old });
    const session = old ?? textAt(opened, "sessionId");
    if (session === "")
      throw new TurnError({ failure: "crashed", reason: "it answered session/new without a session id" });
    context = { session, opened };
    onPrompt(session, () => void agent.notify("session/cancel", { sessionId: session }).catch(() => {}));
    const prompt = [{ type: "text", text: request.prompt }];
    const answer = await ask("session/prompt", { sessionId: session, prompt });
    return { at: current, ...context, how: "answered", answer };
  };

  try {
    return await client({ name: "converge" })
      .onRequest("session/request_permission", ({ params }) => ({ outcome: permit(params) }))
      .connectWith(stream, runTurn);
  } catch (error) {
    if (error instanceof TurnError) return { at: current, ...context, how: "failed", failed: error.failed };
    if (typeof at(error, "code") === "number")
      return { at: current, ...context, how: "error", error, logins };
    return { at: current, ...context, how: "silent" };
  }
}
