// Temporary folders and files for tests.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** Creates a folder that is deleted when the test finishes. */
export function temporary(): string {
  const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "converge-unit-")));
  onTestFinished(() => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

/** Creates a workspace and a folder for logs beside it. */
export function folders(): { dir: string; files: string } {
  const root = temporary();
  const dir = path.join(root, "workspace");
  const files = path.join(root, "files");
  fs.mkdirSync(dir);
  fs.mkdirSync(files);
  return { dir, files };
}

export function write(dir: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(dir, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content, { mode: name.endsWith(".sh") ? 0o755 : 0o644 });
  }
}

/** Reads the numbers that a program wrote into a file, one a line. */
export function numbersIn(file: string): number[] {
  if (!fs.existsSync(file)) return [];
  return fs.readFileSync(file, "utf8").split("\n").filter(Boolean).map(Number);
}
