// Stands between a program and Postgres, and cuts the line where a test says so.
import { once } from "node:events";
import net from "node:net";
import { onTestFinished } from "vitest";

/** What becomes of a question: it never arrives, it arrives and nobody listens, or its answer is lost on the way back. */
export type Cut = "before" | "at once" | "answer";

export interface Proxy {
  readonly port: number;
  /** Cuts the line of the next question that has these words in it, once. */
  cut(words: string, how: Cut): void;
  /** How many lines were cut. */
  cuts(): number;
}

/** "Ready for the next question", the end of every answer. */
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
