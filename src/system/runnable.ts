// Explains why a program cannot be started: missing, not executable, or a script whose interpreter is missing.
import fs from "node:fs";
import path from "node:path";
import { which } from "./which.ts";

export interface SearchPlace {
  /** The base folder of a relative path. */
  readonly cwd: string;
  readonly searchPath: string;
}

const FIRST_LINE_BYTES = 256;

function firstLine(file: string): string {
  const handle = fs.openSync(file, "r");
  try {
    const bytes = Buffer.alloc(FIRST_LINE_BYTES);
    const count = fs.readSync(handle, bytes, 0, FIRST_LINE_BYTES, 0);
    return bytes.toString("utf8", 0, count).split("\n")[0] ?? "";
  } finally {
    fs.closeSync(handle);
  }
}

/** Checks a script's interpreter line; one with a Windows line ending names an interpreter that does not exist. */
export function describeInterpreterProblem(file: string, shown: string): string | undefined {
  let line: string;
  try {
    if (!fs.statSync(file).isFile()) return undefined;
    line = firstLine(file);
  } catch {
    return undefined;
  }
  if (!line.startsWith("#!")) return undefined;
  if (line.endsWith("\r"))
    return `the first line of ${shown} ends in a carriage return (Windows line ending); run: sed -i 's/\\r$//' ${shown}`;
  const [interpreter = ""] = line.slice(2).trim().split(/\s+/);
  if (!path.isAbsolute(interpreter) || fs.existsSync(interpreter)) return undefined;
  return `${shown} needs ${interpreter}, which is not installed`;
}

/** Undefined when the program can be started. A name without a slash is looked up on the search path. */
export function whyNotRunnable(program: string, { cwd, searchPath }: SearchPlace): string | undefined {
  const file = program.includes("/") ? path.resolve(cwd, program) : which(program, searchPath);
  if (file === undefined || !fs.existsSync(file)) return `${program}: command not found`;
  try {
    fs.accessSync(file, fs.constants.X_OK);
  } catch {
    return `${program} is not executable; run: chmod +x ${program}`;
  }
  return describeInterpreterProblem(file, program);
}
