// converge serve
import { once } from "node:events";
import path from "node:path";
import { UsageError } from "#spec/errors";
import type { Home } from "#state/home";
import type { Command } from "../support/command.ts";
import { print, printNote } from "../support/messages.ts";
import { openWithQueue } from "../support/open-run.ts";

interface ServeFlags {
  readonly port: string;
  readonly host: string;
  readonly allowHost?: readonly string[];
  readonly tokenFile?: string;
  readonly open?: boolean;
}

function portFrom(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port: expected a number from 0 to 65535, got "${text}"`);
}

/** Converts a listen error to a usage error that says what to do. */
function explainListenError(error: unknown, { host, port }: ServeFlags): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return new UsageError(
      `port ${port} is in use, maybe by another \`converge serve\`; choose another with --port N, or any free one with --port 0`,
    );
  if (code === "EACCES")
    return new UsageError(`no permission to listen on port ${port}; use --port N with a number from 1024 on`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new UsageError(`--host ${host}: this machine has no such address`);
  return error;
}

/**
 * Opens a link in the user's browser. The link contains a key, and other users can read the arguments of a process:
 * the browser gets a private file that redirects.
 */
async function openPage(home: Home, link: string): Promise<void> {
  const { startDetached } = await import("#system/detach");
  const { privateDir, writePrivate } = await import("#system/files");
  const dir = privateDir(path.join(home.dir, "server"));
  const file = path.join(dir, "open.html");
  writePrivate(
    file,
    `<!doctype html><meta http-equiv="refresh" content="0; url=${link}"><title>Converge</title>\n`,
  );
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  startDetached(program, [file], { cwd: dir, log: path.join(dir, "open.log") });
}

/** Opens the server, or fails with a usage error if the address cannot be used or is not safe. */
async function openServer(flags: ServeFlags, warn: (text: string) => void) {
  const { isLoopback, startServer } = await import("#server/server");
  const { loadOrCreateToken, readTokenFile, tokenFileIn } = await import("#state/server-token");
  const { host, allowHost: names = [], tokenFile } = flags;
  const isLocal = isLoopback(host);
  if (!isLocal && tokenFile === undefined)
    throw new UsageError(
      `--host ${host}: other machines could reach the server; set your own token with --token-file FILE, and put a proxy with TLS in front, because the traffic is not encrypted`,
    );
  const port = portFrom(flags.port);
  const app = await openWithQueue();
  const token =
    tokenFile === undefined ? loadOrCreateToken(app.home) : readTokenFile(path.resolve(tokenFile));
  const cli = process.argv[1] ?? "converge";
  const server = await startServer({ app, token, port, host, names, cli, warn }).catch((error) => {
    throw explainListenError(error, flags);
  });
  return { app, server, isLocal, tokenFile: tokenFile ?? tokenFileIn(app.home) };
}

export const command: Command = {
  name: "serve",
  description: "serve the page and the HTTP API, to watch, start and control runs",
  options: [
    { flags: "--port <n>", description: "port to listen on; 0 takes any free port", default: "4470" },
    {
      flags: "--host <address>",
      description: "address to listen on; an address that other machines can reach needs --token-file",
      default: "127.0.0.1",
    },
    {
      flags: "--allow-host <name>",
      description: "another host name of the server, as behind a proxy; repeatable",
      isRepeatable: true,
    },
    { flags: "--token-file <file>", description: "file with the access token, instead of a generated one" },
    { flags: "--open", description: "open the page in the browser" },
  ],
  notes:
    "Access needs the link, and the link works once. Runs do not depend on the server: it may end at any time.",
  examples: [
    ["converge serve", "the page, for the browser on this machine"],
    "converge serve --port 8080 --open",
    [
      "converge serve --host 0.0.0.0 --token-file ~/.converge-token --allow-host ci.example.org",
      "behind a proxy with TLS",
    ],
  ],
  seeAlso: "See docs/server.md for the API and for access from other machines.",
  exitCodes: "0 ended by Ctrl-C, 2 usage error",
  async run(_args: [], flags: ServeFlags) {
    const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    const warn = (text: string) => printNote(`converge serve: ${text}`);
    const { app, server, isLocal, tokenFile } = await openServer(flags, warn);
    const link = server.link();
    print(`the page:  ${link}`);
    print("           works once, within ten minutes; after that, the browser stays logged in");
    print(`for curl:  Authorization: Bearer $(cat ${tokenFile})`);
    print(`the state: ${app.home.dir}`);
    print("Ctrl-C ends the server; runs continue without it");
    if (!isLocal) print("the traffic is not encrypted: put a proxy with TLS in front");
    if (flags.open) await openPage(app.home, link);
    const { retryPending } = await import("#observers/notify/retry-pending");
    const stopRetrying = retryPending(app, warn);
    await ended;
    stopRetrying();
    await server.close();
    await app.store.close();
    return 0;
  },
};
