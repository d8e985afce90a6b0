// A line to Postgres that can be cut: in silence, so that nothing arrives any more and nobody hears of it, or with a bang.
import { once } from "node:events";
import net from "node:net";
import { onTestFinished } from "vitest";
import { elsewhere } from "./database.ts";

export interface Line {
  /** The database, through this line. */
  readonly url: string;
  /** "silent": packets are swallowed, as behind a cut cable. "reset": every connection breaks, and new ones do as well. */
  cut(how: "silent" | "reset"): void;
  heal(): void;
}

export async function lineTo(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  const pairs = new Set<() => void>();
  let state: "whole" | "silent" | "reset" = "whole";

  const connect = (client: net.Socket) => {
    client.on("error", () => client.destroy());
    if (state === "reset") return void client.resetAndDestroy();
    const server = net.connect(Number(port || 5432), hostname);
    const end = () => {
      pairs.delete(end);
      client.destroy();
      server.destroy();
    };
    pairs.add(end);
    const pass = (from: net.Socket, to: net.Socket) => {
      let isLossy = false;
      // What lost a packet stays silent for good: the other side forgets it, as routers do.
      from.on("data", (bytes) => {
        isLossy ||= state !== "whole";
        if (!isLossy) to.write(bytes);
      });
      from.on("error", () => {}).on("close", () => state === "whole" && end());
    };
    pass(client, server);
    pass(server, client);
  };

  const listener = net.createServer(connect).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const endAll = () => {
    for (const end of pairs) end();
  };
  onTestFinished(() => {
    listener.close();
    endAll();
  });
  const own = (listener.address() as net.AddressInfo).port;
  return {
    url: elsewhere(url, (changed) => {
      changed.hostname = "127.0.0.1";
      changed.port = String(own);
    }),
    cut: (how) => {
      state = how;
      if (how === "reset") endAll();
    },
    heal: () => {
      state = "whole";
      // Whoever speaks on a line that lost packets is told that nobody knows it any more.
      endAll();
    },
  };
}
