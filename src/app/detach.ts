// Lets a run go on in a process of its own.
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "#spec/errors";
import { plain } from "#spec/text";
import { type Detached, startDetached } from "#system/detach";
import { privateDir, readTail } from "#system/files";
import type { App } from "./open.ts";

const POLL_MS = 50;
const PATIENCE_MS = 30_000;
const SAID_BYTES = 2_000;

/** Until then nobody holds the workspace: a stop would be overtaken by the start that comes after it. */
async function atWork(app: App, id: string, child: Detached): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    if ((await app.store.read(id, 1)).length > 0) return true;
    if (child.over()) return false;
    await sleep(POLL_MS);
  }
  return false;
}

/** Resumes the run in the background and returns once it is at work; what it prints goes to the returned file. */
export async function resumeDetached(app: App, id: string, cli: string, wait: boolean): Promise<string> {
  const log = path.join(privateDir(path.join(app.home.dir, "runs", id)), "output.log");
  const child = startDetached(
    process.execPath,
    [cli, "resume", id, ...(wait ? ["--wait"] : [])],
    process.cwd(),
    log,
  );
  if (await atWork(app, id, child)) return log;
  const said = plain(readTail(log, SAID_BYTES)).trim();
  throw new UsageError(`run ${id} did not begin in the background; it said: ${said || "nothing"}`);
}
