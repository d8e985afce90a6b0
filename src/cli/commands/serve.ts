// converge serve
import { once } from "node:events";
import path from "node:path";
import { retryPending } from "#observers/notify/notifier";
import { isLoopback, startServer } from "#server/server";
import { UsageError } from "#spec/errors";
import { loadOrCreateToken, readTokenFile, tokenFileIn } from "#state/server-token";
import { openWithQueue } from "../support/open-context.ts";
import { openPage } from "../support/open-page.ts";

export interface ServeFlags {
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

function refuseWide({ host, tokenFile }: ServeFlags): void {
  if (isLoopback(host) || tokenFile !== undefined) return;
  throw new UsageError(
    `--host ${host}: others could reach it; give it a token of your own with --token-file FILE, and put a proxy with TLS in front: what is sent to it is not encrypted`,
  );
}

/** Converts a listen error to a usage error that says what to do. */
function explained(error: unknown, { host, port }: ServeFlags): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return new UsageError(
      `port ${port} is taken, maybe by another \`converge serve\`; say --port N, or --port 0 for any that is free`,
    );
  if (code === "EACCES")
    return new UsageError(`port ${port} is not for everybody; say --port N with a number from 1024 on`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new UsageError(`--host ${host}: this machine has no such address`);
  return error;
}

function announce(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

export async function serve(flags: ServeFlags): Promise<number> {
  refuseWide(flags);
  const { host, allowHost: names = [], tokenFile } = flags;
  const port = portFrom(flags.port);
  const app = openWithQueue();
  const token =
    tokenFile === undefined ? loadOrCreateToken(app.home) : readTokenFile(path.resolve(tokenFile));
  const warn = (text: string) => process.stderr.write(`converge serve: ${text}\n`);
  const cli = process.argv[1] ?? "converge";
  const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const server = await startServer({ app, token, port, host, names, cli, warn }).catch((error) => {
    throw explained(error, flags);
  });
  const link = server.link();
  announce([
    `the page:  ${link}`,
    "           good once, for ten minutes; the browser is let in from then on",
    `for curl:  Authorization: Bearer $(cat ${tokenFile ?? tokenFileIn(app.home)})`,
    `the state: ${app.home.dir}`,
    "Ctrl-C ends it; runs go on without it",
    ...(isLoopback(host) ? [] : ["what is sent to it is not encrypted: put a proxy with TLS in front"]),
  ]);
  if (flags.open) openPage(app.home, link);
  const stopTelling = retryPending(app, warn);
  await ended;
  stopTelling();
  await server.close();
  await app.store.close();
  return 0;
}
