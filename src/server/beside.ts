// Starts a server in the process of a run, on the default port or the next free one. The run never waits for it.
import { openContext } from "#state/context";
import { loadOrCreateToken } from "#state/server-token";
import { type Server, startServer } from "./server.ts";

const DEFAULT_PORT = 4470;
/** Falls back to any free port after these. */
const TRIES = 10;

const isPortInUse = (error: unknown) => (error as NodeJS.ErrnoException).code === "EADDRINUSE";

/** Opens its own store connection, so that server and run can close independently. */
export async function serveBeside(cli: string, warn: (text: string) => void): Promise<Server> {
  const app = openContext();
  const start = (port: number) =>
    startServer({ app, token: loadOrCreateToken(app.home), port, host: "127.0.0.1", cli, warn });
  const startFrom = async (tried: number): Promise<Server> => {
    try {
      return await start(tried < TRIES ? DEFAULT_PORT + tried : 0);
    } catch (error) {
      if (!isPortInUse(error) || tried >= TRIES) throw error;
      return startFrom(tried + 1);
    }
  };
  const server = await startFrom(0).catch(async (error) => {
    await app.store.close();
    throw error;
  });
  const close = async () => {
    await server.close();
    await app.store.close();
  };
  return { ...server, close };
}
