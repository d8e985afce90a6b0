// Webhook receiver on loopback: records requests and answers as scripted.
import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Received {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Accepts the request and never responds. */
  readonly hangs?: true;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** All request bodies, parsed as JSON. */
  bodies<T>(): T[];
  /** Replaces the scripted replies. */
  answer(...replies: readonly Reply[]): void;
  close(): Promise<void>;
}

/** Replies in order and repeats the last reply. It closes when the test finishes. */
export async function receiver(...first: readonly Reply[]): Promise<Receiver> {
  const received: Received[] = [];
  let replies = [...first];
  const server = http.createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => {
      body += piece;
    });
    request.on("end", () => {
      received.push({ path: request.url ?? "", headers: request.headers, body });
      const { status = 200, headers = {}, hangs } = (replies.length > 1 ? replies.shift() : replies[0]) ?? {};
      if (!hangs) response.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    bodies: <T>() => received.map(({ body }) => JSON.parse(body) as T),
    answer: (...next) => {
      replies = [...next];
    },
    close,
  };
}
