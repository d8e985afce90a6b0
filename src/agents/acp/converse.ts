// One turn with an agent, in the protocol's words: initialize, a session, a prompt, and how the agent says it ended.
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

/** How it ended, at the last question that we asked. */
export type Said = { readonly at: Question; readonly session?: string; readonly opened?: unknown } & (
  | { readonly how: "answered"; readonly answer: unknown }
  /** With an error of its own. */
  | { readonly how: "error"; readonly error: unknown; readonly logins: readonly string[] }
  | { readonly how: "failed"; readonly failed: Failed }
  /** Not at all: it is gone. */
  | { readonly how: "silent" }
);

export interface Partner {
  readonly request: AgentRequest;
  /** How long it may take to be ready for the prompt. */
  readonly startMs: number;
  permit(request: RequestPermissionRequest): RequestPermissionOutcome;
  /** The session is there and gets its prompt; `cancel` asks the agent to end the turn. */
  onPrompt(session: string, cancel: () => void): void;
}

const NAME_CHARS = 100;
const MOST_LOGINS = 10;

class GiveUp extends Error {
  constructor(readonly failed: Failed) {
    super(failed.reason);
  }
}

/** An answer in time; an agent that does not speak the protocol at all would be waited for until the end of the iteration. */
async function inTime<T>(answer: Promise<T>, ms: number, question: Question): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const reason = `it did not answer ${question} within ${Math.round(ms / 1000)} s; is it an agent that speaks ACP on standard input and output?`;
    timer = setTimeout(() => reject(new GiveUp({ failure: "timed-out", reason })), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function loginsOf(ready: unknown): string[] {
  const methods = listAt(ready, "authMethods").slice(0, MOST_LOGINS);
  return methods
    .map((one) => oneLine(textAt(one, "name") || textAt(one, "id"), NAME_CHARS))
    .filter((name) => name !== "");
}

/** How the agent goes on with a session: resume is quiet, load tells all of it again. */
function wayBack(ready: unknown): "session/resume" | "session/load" {
  if (at(ready, "agentCapabilities", "sessionCapabilities", "resume")) return "session/resume";
  if (at(ready, "agentCapabilities", "loadSession") === true) return "session/load";
  const reason =
    'it cannot go on with a session: it has neither session/resume nor session/load; write "context: fresh"';
  throw new GiveUp({ failure: "blocked", reason });
}

function checkVersion(ready: unknown, ours: number): void {
  const theirs = at(ready, "protocolVersion");
  if (theirs === ours) return;
  const reason = `it speaks version ${oneLine(String(theirs), NAME_CHARS)} of the protocol, and Converge speaks ${ours}; use a version of the agent that does too`;
  throw new GiveUp({ failure: "crashed", reason });
}

export async function converse(
  stream: Stream,
  { request, startMs, permit, onPrompt }: Partner,
): Promise<Said> {
  // Loaded when an agent of this kind works, and by nobody else.
  const { client, PROTOCOL_VERSION } = await import("@agentclientprotocol/sdk");
  let asked: Question = "initialize";
  let logins: readonly string[] = [];
  let known: { session?: string; opened?: unknown } = {};

  const talk = async (agent: ClientContext): Promise<Said> => {
    const until = performance.now() + startMs;
    const ask = (question: Question, params: unknown): Promise<unknown> => {
      asked = question;
      return agent.request<unknown>(question as string, params);
    };
    const ready = (question: Question, params: unknown) =>
      inTime(ask(question, params), Math.max(1, until - performance.now()), question);

    const hello = await ready("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      // It has hands of its own, and it is their use that is watched: none of ours.
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
    checkVersion(hello, PROTOCOL_VERSION);
    logins = loginsOf(hello);
    const place = { cwd: request.dir, mcpServers: [] };
    const { session: old } = request;
    const opened =
      old === undefined
        ? await ready("session/new", place)
        : await ready(wayBack(hello), { ...place, sessionId: old });
    const session = old ?? textAt(opened, "sessionId");
    if (session === "")
      throw new GiveUp({ failure: "crashed", reason: "it answered session/new without a session" });
    known = { session, opened };
    onPrompt(session, () => void agent.notify("session/cancel", { sessionId: session }).catch(() => {}));
    const prompt = [{ type: "text", text: request.prompt }];
    const answer = await ask("session/prompt", { sessionId: session, prompt });
    return { at: asked, ...known, how: "answered", answer };
  };

  try {
    return await client({ name: "converge" })
      .onRequest("session/request_permission", ({ params }) => ({ outcome: permit(params) }))
      .connectWith(stream, talk);
  } catch (error) {
    if (error instanceof GiveUp) return { at: asked, ...known, how: "failed", failed: error.failed };
    if (typeof at(error, "code") === "number") return { at: asked, ...known, how: "error", error, logins };
    return { at: asked, ...known, how: "silent" };
  }
}
