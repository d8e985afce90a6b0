// Fake OpenAI-compatible chat completions server with a scripted sequence of replies.
import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The summary, wrapped in the API's response body. */
  readonly says?: string;
  readonly usage?: unknown;
  /** Raw response body, instead of `says`. */
  readonly body?: string;
  /** Accepts the request and never responds. */
  readonly hangs?: true;
  /** Sends a body without end. */
  readonly floods?: true;
  /** Closes the connection instead of answering. */
  readonly drops?: true;
}

export interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly prompt: string;
}

export interface CompletionsServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  close(): void;
}

function bodyOf({ says = "", usage, body }: Reply): string {
  return body ?? JSON.stringify({ choices: [{ message: { role: "assistant", content: says } }], usage });
}

function flood(response: http.ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write("x".repeat(65_536)));
    if (!response.destroyed) response.once("drain", more);
  };
  more();
}

function send(response: http.ServerResponse, reply: Reply): void {
  if (reply.drops) return void response.destroy();
  if (reply.hangs) return;
  response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
  if (reply.floods) flood(response);
  else response.end(bodyOf(reply));
}

/** Starts the server, which repeats the last reply. It closes when the test finishes. */
export async function completionsServer(...replies: readonly Reply[]): Promise<CompletionsServer> {
  const asked: Asked[] = [];
  const server = http.createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    request.on("end", () => {
      const { model, messages } = JSON.parse(text || "{}");
      const { authorization } = request.headers;
      asked.push({ path: request.url ?? "", authorization, model, prompt: messages?.[0]?.content });
      send(response, replies[asked.length - 1] ?? replies.at(-1) ?? {});
    });
  });
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, close };
}
