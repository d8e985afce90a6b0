// The server beside a run, in its process: on the usual port or one of the next, and never in the run's way.
import { openApp } from "#state/context";
import { loadOrCreateToken } from "#state/server-token";
import { type Server, startServer } from "./server.ts";

const USUAL_PORT = 4470;
/** After these, any that is free. */
const TRIES = 10;

const isTaken = (error: unknown) => (error as NodeJS.ErrnoException).code === "EADDRINUSE";

/** The store is opened once more, so that neither has to wait for the other's end. */
export async function serveBeside(cli: string, warn: (text: string) => void): Promise<Server> {
  const app = openApp();
  const start = (port: number) =>
    startServer({ app, token: loadOrCreateToken(app.home), port, host: "127.0.0.1", cli, warn });
  const next = async (tried: number): Promise<Server> => {
    try {
      return await start(tried < TRIES ? USUAL_PORT + tried : 0);
    } catch (error) {
      if (!isTaken(error) || tried >= TRIES) throw error;
      return next(tried + 1);
    }
  };
  const server = await next(0).catch(async (error) => {
    await app.store.close();
    throw error;
  });
  const close = async () => {
    await server.close();
    await app.store.close();
  };
  return { ...server, close };
}
