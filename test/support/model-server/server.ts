// Fake model server on loopback that follows a script and speaks every vendor's protocol.
import http from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import type { Asked, Protocol, Reply } from "./protocol.ts";
import { responses } from "./responses.ts";
import { ASIDE, type Refusal, type Script, type Turn, turnOf } from "./script.ts";
import { callsOf, type Tool } from "./tools.ts";

const PROTOCOLS: readonly Protocol[] = [anthropic, responses, chat, gemini];
const MOST_KEPT = 500;
const LONGEST_BODY = 1_000_000;

export interface Recorded {
  /** `undefined` when no protocol has the path. */
  readonly protocol: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  /** Raw request body, truncated to a million characters. */
  readonly body: string;
  /** Names of the offered tools. */
  readonly tools: readonly string[];
  /** Index of the script's turn; `undefined` for a request that uses no turn. */
  readonly turn: number | undefined;
}

export interface ModelServer {
  readonly url: string;
  /** The latest 500 requests. */
  readonly asked: readonly Recorded[];
  close(): Promise<void>;
}

async function read(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function json(response: http.ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

function refuse(response: http.ServerResponse, protocol: Protocol, { error }: Refusal): void {
  const { status, body } = protocol.refuse(error.kind);
  json(response, error.status ?? status, error.body ?? body, error.headers);
}

function stream(response: http.ServerResponse, protocol: Protocol, reply: Reply): void {
  const { events, end } = protocol.stream(reply);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const { event, data } of events)
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
  response.end(end === undefined ? undefined : `data: ${end}\n\n`);
}

function answer(response: http.ServerResponse, protocol: Protocol, reply: Reply): void {
  if (protocol.streams(reply)) stream(response, protocol, reply);
  else json(response, 200, protocol.whole(reply));
}

/** Tracks the next turn of the script and answers with it. */
function model(script: Script, aside: Turn) {
  let turns = 0;
  let replies = 0;
  return (response: http.ServerResponse, protocol: Protocol, asked: Asked, tools: Tool[], body: string) => {
    const turn = tools.length > 0 ? turns++ : undefined;
    const said = turn === undefined ? aside : turnOf(script, turn, { body });
    if ("error" in said) refuse(response, protocol, said);
    else {
      const id = `scripted${String(replies++).padStart(4, "0")}`;
      answer(response, protocol, { ...asked, answer: said, calls: callsOf(said, tools), id });
    }
    return turn;
  };
}

function handler(says: ReturnType<typeof model>, record: (recorded: Recorded) => void) {
  return async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { pathname: path } = new URL(request.url ?? "/", "http://server");
    const text = await read(request);
    const asked = { path, body: parsed(text) };
    const { method = "GET", headers } = request;
    const posted = method === "POST";
    const protocol = posted ? PROTOCOLS.find((one) => one.path.test(path)) : undefined;
    const tools = protocol?.tools(asked.body) ?? [];
    const counts = posted ? PROTOCOLS.find((one) => one.counting?.path.test(path))?.counting : undefined;
    let turn: number | undefined;
    if (protocol) turn = says(response, protocol, asked, tools, text);
    else if (counts) json(response, 200, counts.answer);
    else if (method === "HEAD") response.writeHead(200).end();
    else json(response, 404, { error: { message: `nothing is scripted for ${method} ${path}` } });
    const body = text.slice(0, LONGEST_BODY);
    const names = tools.map(({ name }) => name);
    record({ protocol: protocol?.name, method, path, headers, body, tools: names, turn });
  };
}

/** Starts the server. Requests without tools get `aside` and use no turn of the script. */
export async function startModelServer(script: Script, aside: Turn = ASIDE): Promise<ModelServer> {
  const asked: Recorded[] = [];
  const handle = handler(model(script, aside), (recorded) => {
    asked.push(recorded);
    if (asked.length > MOST_KEPT) asked.shift();
  });
  const server = http.createServer((request, response) => {
    // Returns an error for a turn that is impossible, such as a shell command when no shell tool is offered.
    handle(request, response).catch((error) => json(response, 500, { error: { message: String(error) } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
