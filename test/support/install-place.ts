// Temporary HOME and project folder to install hooks into.
import fs from "node:fs";
import path from "node:path";
import type { Place } from "#hooks/install/place";
import { temporary } from "./folders.ts";

export interface InstallPlace {
  readonly user: Place;
  readonly project: Place;
  read(file: string): string;
  write(file: string, text: string): void;
  /** All files below the root with their content, by path. */
  all(): Readonly<Record<string, string>>;
  readonly root: string;
}

export function installPlace(): InstallPlace {
  const root = temporary();
  const [home, dir] = [path.join(root, "home"), path.join(root, "project")];
  for (const folder of [home, dir]) fs.mkdirSync(folder);
  const env = { HOME: home, PATH: "/usr/bin" };
  const files = () => fs.readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  const isFile = (name: string) => fs.statSync(path.join(root, name)).isFile();
  const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");
  return {
    root,
    user: { scope: "user", dir, env },
    project: { scope: "project", dir, env },
    read,
    write: (file, text) => {
      fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      fs.writeFileSync(path.join(root, file), text);
    },
    all: () =>
      Object.fromEntries(
        files()
          .filter(isFile)
          .map((name) => [name, read(name)]),
      ),
  };
}
