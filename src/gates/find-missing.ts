// Detects that a command could not judge because its program, script, target or file is missing. The evidence is the
// exit code together with the messages of shells, package managers and interpreters.
import path from "node:path";
import type { ProcessEnd } from "#system/processes/process";

export type MissingKind = "program" | "permission" | "module" | "script" | "target" | "file" | "folder";

export interface Missing {
  readonly kind: MissingKind;
  /** Empty when the output does not name it. */
  readonly name: string;
}

/** A command with its exit and output. */
export interface CommandOutput {
  readonly command: string | readonly string[];
  readonly end: Pick<ProcessEnd, "exitCode">;
  readonly stdout: string;
  readonly stderr: string;
}

interface Evidence {
  readonly kind: MissingKind;
  readonly codes: readonly number[];
  readonly words: RegExp;
  /** Counts only if the command names it, because code under test may print the same words. */
  readonly named?: boolean;
}

const NAME = "([^\\s:'\"`‘’]{1,200})";
/** "sh: 1: ", "bash: line 1: ", "./check.sh: line 3: " */
const SHELL = "(?:[^\\n:]{1,200}: )?(?:(?:line )?\\d+: )?";

const line = (pattern: string) => new RegExp(`^${pattern}$`, "m");

/** The first match wins. */
const EVIDENCE: readonly Evidence[] = [
  { kind: "folder", codes: [1, 2], words: line(`${SHELL}cd: can't cd to ${NAME}`), named: true },
  {
    kind: "folder",
    codes: [1, 2],
    words: line(`${SHELL}cd: ${NAME}: No such file or directory`),
    named: true,
  },
  {
    kind: "program",
    codes: [127, 2],
    words: line(`g?make(?:\\[\\d+\\])?: ([\\w.+-]{1,200}): No such file or directory`),
  },
  { kind: "program", codes: [127], words: line(`bundler: command not found: ${NAME}`) },
  { kind: "program", codes: [127], words: line(`\\S+:\\d+: command not found: ${NAME}`) },
  { kind: "program", codes: [127], words: line(`${SHELL}${NAME}: (?:command )?not found`) },
  { kind: "program", codes: [127], words: line(`env: [‘']?${NAME}[’']?: No such file or directory`) },
  { kind: "program", codes: [127], words: line(`${SHELL}${NAME}: No such file or directory`) },
  {
    kind: "permission",
    codes: [126, 127],
    words: line(`${SHELL}${NAME}: (?:Permission denied|cannot execute.*|Exec format error)`),
  },
  { kind: "program", codes: [1], words: /^Command not found: (\S{1,200})$/m, named: true },
  { kind: "program", codes: [2], words: /^error: Failed to spawn: `([^`\n]{1,200})`$/m, named: true },
  {
    kind: "program",
    codes: [1],
    words: /ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL\s+Command "([^"\n]{1,200})" not found/,
    named: true,
  },
  { kind: "program", codes: [1], words: /npx canceled due to missing packages[^\n]*\["([^"\n]{1,200})"/ },
  { kind: "program", codes: [1], words: /^npm (?:error|ERR!) (could not determine executable) to run$/m },
  { kind: "program", codes: [101], words: /^error: no such command: `([^`\n]{1,200})`$/m, named: true },
  {
    kind: "module",
    codes: [1],
    words: /^\S*python[\d.]*(?:\.exe)?: No module named ([\w.]{1,200})$/m,
    named: true,
  },
  {
    kind: "script",
    codes: [1],
    words: /(?:npm (?:error|ERR!)|ERR_PNPM_NO_SCRIPT)\s+Missing script: "?([^"\n]{1,200}?)"?$/m,
  },
  { kind: "script", codes: [1], words: /^error Command "([^"\n]{1,200})" not found\.$/m, named: true },
  { kind: "script", codes: [1], words: /Couldn't find a script named "([^"\n]{1,200})"/, named: true },
  { kind: "script", codes: [1], words: /^error: Script not found "([^"\n]{1,200})"$/m, named: true },
  { kind: "script", codes: [1], words: /^error: Task not found: (\S{1,200})$/m, named: true },
  { kind: "file", codes: [254], words: /^npm (?:error|ERR!) enoent Could not read (package\.json)/m },
  { kind: "file", codes: [1], words: /ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND\s+No (package\.json)/ },
  {
    kind: "target",
    codes: [2],
    words: /^g?make(?:\[\d+\])?: \*\*\* No rule to make target [`'‘]([^'’\n]{1,200})['’]\.\s+Stop\.$/m,
  },
  {
    kind: "file",
    codes: [2],
    words: /^g?make: \*\*\* No targets specified and no (makefile) found\.\s+Stop\.$/m,
  },
  {
    kind: "target",
    codes: [1],
    words: /^error: [Jj]ustfile does not contain recipe [`']([^`'\n]{1,200})[`']/m,
  },
  { kind: "file", codes: [1], words: /^error: No (justfile) found/m },
  {
    kind: "file",
    codes: [1],
    words: /^Error: Cannot find module '([^'\n]{1,500})'$[\s\S]*requireStack: \[\]/m,
    named: true,
  },
  { kind: "file", codes: [1], words: /^Could not find '([^'\n]{1,500})'$/m, named: true },
  { kind: "file", codes: [2], words: /can't open file '([^'\n]{1,500})': \[Errno 2\]/, named: true },
  {
    kind: "file",
    codes: [2, 127],
    // Line 0 is the script itself; a redirection from a missing file has a line number.
    words: /^\S*sh: (?:0: )?(?:cannot|Can't) open (\S{1,500}?)(?:: No such file)?$/m,
    named: true,
  },
  { kind: "file", codes: [1], words: /No such file or directory -- (\S{1,500}) \(LoadError\)/, named: true },
  { kind: "file", codes: [2], words: /^Can't open perl script "([^"\n]{1,500})"/m, named: true },
  { kind: "file", codes: [1], words: /^Error: Unable to access jarfile (\S{1,500})$/m, named: true },
  { kind: "file", codes: [4], words: /^ERROR: file or directory not found: (\S{1,500})$/m, named: true },
];

const SHELL_CODES: Readonly<Record<number, MissingKind>> = { 126: "permission", 127: "program" };
/** Make and others exit with their own code and print the recipe's. */
const RECIPE = /^g?make(?:\[\d+\])?: \*\*\* \[[^\n]*\] Error (12[67])$/m;

/** Whether the command contains the name as a whole word, ignoring folders. */
function isNamedIn(command: string, name: string): boolean {
  return command.split(/[\s'"=;&|()<>]+/).some((word) => path.basename(word) === path.basename(name));
}

/** Undefined when the command ran, whatever its result. */
export function findMissing({ command, end, stdout, stderr }: CommandOutput): Missing | undefined {
  const words = typeof command === "string" ? command : command.join(" ");
  const output = `${stderr}\n${stdout}`;
  const own = end.exitCode;
  if (own === null) return undefined;
  const codes = [own, Number(RECIPE.exec(output)?.[1] ?? own)];
  for (const row of EVIDENCE) {
    const [, name] = row.codes.some((code) => codes.includes(code)) ? (row.words.exec(output) ?? []) : [];
    if (name === undefined || (row.named && !isNamedIn(words, name))) continue;
    // A path in a make recipe may be something that the agent has yet to build.
    if (codes[1] !== own && name.includes("/")) continue;
    return { kind: row.kind, name: name === "could not determine executable" ? "" : name };
  }
  const kind = SHELL_CODES[own];
  return kind && { kind, name: "" };
}
