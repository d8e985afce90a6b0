// Opens a link in the user's browser without exposing it in the process list.
import path from "node:path";
import type { Home } from "#state/home";
import { startDetached } from "#system/detach";
import { privateDir, writePrivate } from "#system/files";

/** The link contains a key, and other users can read arguments: the browser gets a private file that redirects. */
export function openPage(home: Home, link: string): void {
  const dir = privateDir(path.join(home.dir, "server"));
  const file = path.join(dir, "open.html");
  writePrivate(
    file,
    `<!doctype html><meta http-equiv="refresh" content="0; url=${link}"><title>Converge</title>\n`,
  );
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  startDetached(program, [file], { cwd: dir, log: path.join(dir, "open.log") });
}
