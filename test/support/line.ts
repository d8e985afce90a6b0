// TCP proxy for Postgres that simulates network failures: dropped packets or reset connections.
import { once } from "node:events";
import net from "node:net";
import { onTestFinished } from "vitest";
import { elsewhere } from "./database.ts";

export interface Line {
  /** URL of the database through this proxy. */
  readonly url: string;
  /** "silent" drops packets, like a cut cable. "reset" resets all connections, including new ones. */
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
      // A direction that lost a packet stays silent, as after a router dropped the connection.
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
      // Closes the connections that lost packets, as a peer does that no longer knows them.
      endAll();
    },
  };
}
