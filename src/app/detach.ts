// Lets a run go on in a process of its own.
import path from "node:path";
import { startDetached } from "#system/detach";
import { privateDir } from "#system/files";
import type { App } from "./open.ts";

/** Resumes the run in the background; what it prints goes to the returned file. */
export function resumeDetached(app: App, id: string, cli: string): string {
  const log = path.join(privateDir(path.join(app.home.dir, "runs", id)), "output.log");
  startDetached(process.execPath, [cli, "resume", id], process.cwd(), log);
  return log;
}
