// Vitest global setup of the first-day tests: packs the built package and installs the tarball like a user.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Path of the installed CLI script. */
    readonly installedCli: string;
  }
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];

export function setup(project: TestProject): () => void {
  const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "converge-tarball-")));
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync("npm", [...args, ...QUIET], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  // The suite has built it already, so `prepack` is left out.
  const packed =
    npm(root, "pack", "--ignore-scripts", "--pack-destination", dir).trim().split("\n").at(-1) ?? "";
  const prefix = path.join(dir, "prefix");
  fs.mkdirSync(prefix);
  fs.writeFileSync(path.join(prefix, "package.json"), '{"private": true}\n');
  npm(prefix, "install", "--prefer-offline", path.join(dir, packed));
  project.provide("installedCli", path.join(prefix, "node_modules", "converge-loop", "bin", "converge.js"));
  return () => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}
