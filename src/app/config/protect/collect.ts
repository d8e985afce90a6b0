// What is found to protect in a workspace, and the few questions that are asked about its files meanwhile.
import fs from "node:fs";
import path from "node:path";
import type { Protection } from "#spec/task";

export interface Collector {
  readonly dir: string;
  readonly found: Protection[];
  /** Files by a pattern that starts from a folder. */
  files(folder: string, pattern: string, grows: boolean): void;
  /** A value of the package.json in a folder, or of all below it. */
  packageValue(folder: string, key: readonly string[], everywhere?: boolean): void;
  /** A file or folder that is there; what is not there yet may be what the agent is to write. */
  thing(name: string, folder?: string): void;
  /** From the workspace on; undefined when it lies outside, or is the workspace itself. */
  inside(name: string, folder?: string): string | undefined;
  kindOf(name: string): "file" | "folder" | undefined;
}

/** A path as a pattern that means just it. */
const literal = (name: string): string => name.replace(/[\\*?[\]{}!]/g, "\\$&");

const within = (folder: string, pattern: string): string =>
  folder === "" ? pattern : `${literal(folder)}/${pattern}`;

export function collector(dir: string): Collector {
  const found: Protection[] = [];
  const inside = (name: string, folder = "") => {
    const relative = path.relative(dir, path.resolve(dir, folder, name));
    return relative === "" || relative === ".." || relative.startsWith("../") ? undefined : relative;
  };
  const kindOf = (name: string) => {
    try {
      const stat = fs.statSync(path.join(dir, name));
      return stat.isDirectory() ? "folder" : stat.isFile() ? "file" : undefined;
    } catch {
      // Nothing of that name, or no name of a file at all.
      return undefined;
    }
  };
  return {
    dir,
    found,
    files: (folder, pattern, grows) => found.push({ path: within(folder, pattern), grows }),
    packageValue: (folder, key, everywhere = false) =>
      found.push({
        path: within(folder, everywhere ? "**/package.json" : "package.json"),
        key,
        grows: false,
      }),
    thing: (name, folder) => {
      const place = inside(name, folder);
      const kind = place === undefined ? undefined : kindOf(place);
      if (place === undefined || kind === undefined) return;
      const isFolder = kind === "folder";
      found.push({ path: isFolder ? `${literal(place)}/**` : literal(place), grows: isFolder });
    },
    inside,
    kindOf,
  };
}

const CHECK =
  /(?:^|[^a-z])(?:tests?|specs?|checks?|verify|verification|ci|e2e|lint|fixtures?|expected|golden|schemas?)(?:[^a-z]|$)/i;

/** A gate may well run the very program that is to be changed (`node app.js`): only what looks like a check is one. */
export function looksLikeCheck(name: string): boolean {
  return name.split("/").some((segment) => CHECK.test(segment.replace(/([a-z])(?=[A-Z])/g, "$1-")));
}
