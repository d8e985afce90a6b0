// TCP proxy for Postgres that closes the connection at a chosen query.
import { once } from "node:events";
import net from "node:net";
import { onTestFinished } from "vitest";

/** When the connection closes: before the query is sent, right after it, or after the server answered. */
export type Cut = "before" | "at once" | "answer";

export interface Proxy {
  readonly port: number;
  /** Closes the connection once, at the next query that contains these words. */
  cut(words: string, how: Cut): void;
  /** Number of connections closed this way. */
  cuts(): number;
}

/** ReadyForQuery, the message at the end of every answer. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

export async function proxyTo(url: string): Promise<Proxy> {
  const { hostname, port: target } = new URL(url);
  let planned: { readonly words: string; readonly how: Cut } | undefined;
  let cuts = 0;
  const sockets = new Set<net.Socket>();

  const connect = (client: net.Socket) => {
    const server = net.connect(Number(target || 5432), hostname);
    let isAnswerLost = false;
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", end).on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on("data", (question) => {
      const plan = planned && question.includes(planned.words) ? planned : undefined;
      if (!plan) return void server.write(question);
      planned = undefined;
      cuts++;
      if (plan.how === "before") return end();
      isAnswerLost = plan.how === "answer";
      server.write(question, () => {
        if (plan.how === "at once") end();
      });
    });
    server.on("data", (answer) => {
      if (!isAnswerLost) client.write(answer);
      else if (answer.subarray(-READY.length).equals(READY)) end();
    });
  };

  const listener = net.createServer(connect).listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(() => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port: (listener.address() as net.AddressInfo).port,
    cut: (words, how) => {
      planned = { words, how };
    },
    cuts: () => cuts,
  };
}
