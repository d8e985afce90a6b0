// Opens a link in the user's browser, without showing it to everybody who may list processes.
import path from "node:path";
import type { Home } from "#state/home";
import { startDetached } from "#system/detach";
import { privateDir, writePrivate } from "#system/files";

/** The link has a key in it, and arguments of programs are no secret: the browser gets a private file that leads there. */
export function openPage(home: Home, link: string): void {
  const dir = privateDir(path.join(home.dir, "server"));
  const file = path.join(dir, "open.html");
  writePrivate(
    file,
    `<!doctype html><meta http-equiv="refresh" content="0; url=${link}"><title>Converge</title>\n`,
  );
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  startDetached(program, [file], dir, path.join(dir, "open.log"));
}
