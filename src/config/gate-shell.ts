// Shell gates whose exit code is not that of their tests: pipes without bash, and commands joined by `;`, `||` or `&`.
import path from "node:path";
import type { GateSpec } from "#spec/task";
import { type Pipeline, readShellList, type ShellList } from "#system/shell-list";
import { which } from "#system/which";
import { oneLine } from "#text/plain-text";

interface ShellProblems {
  /** By the place of the gate in the task: what would hide failing tests. */
  readonly refused: readonly { readonly gate: number; readonly message: string }[];
  readonly warnings: readonly string[];
}

const SHOWN_CHARS = 80;

/** Programs whose exit code tells whether tests pass. */
const RUNNERS = new Set(
  (
    "npm npx pnpm yarn bun bunx deno node tsx vitest jest mocha ava tap playwright cypress tsc eslint biome pytest py.test python " +
    "python3 tox nox hatch uv poetry pdm pipenv coverage go gotestsum cargo dotnet php phpunit pest composer ruby rspec rake " +
    "bundle rails mvn mvnw gradle gradlew make gmake just task cmake ctest meson ninja bazel mix swift flutter dart java sbt"
  ).split(" "),
);

/** They prepare, and their failure shows in what follows. */
const PREPARES = new Set(
  "cd export set unset source . umask ulimit trap mkdir rm cp mv touch shopt alias eval sleep".split(" "),
);

/** They succeed whatever was before them. */
const ALWAYS_SUCCEEDS = /^(?:true|:|echo|printf|exit 0|date|ls|cat|pwd|sleep)(?:\s|$)/;

/** The program of a command, without variables that are set for it alone. */
function programOf(stage: string): string {
  const [word = ""] = stage.split(/\s+/).filter((each) => !/^\w+=/.test(each));
  return path.basename(word);
}

const isRunner = (stage: string): boolean => RUNNERS.has(programOf(stage)) || /(?:^|\/)\S+\.sh\b/.test(stage);

const shown = ({ stages }: Pipeline): string => oneLine(stages.join(" | "), SHOWN_CHARS);

/** What is lost because of the last operator; undefined when nothing is. */
function lostIn({ pipelines, trailing, isSimple }: ShellList): string | undefined {
  const isExiting = pipelines.some(({ stages }) => /^set\s+-(?:\w*e|o\s+errexit)/.test(stages[0] ?? ""));
  if (!isSimple || isExiting) return undefined;
  const last = pipelines.at(-1);
  if (!last) return undefined;
  if (trailing === "&")
    return `"${shown(last)}" runs in the background, and its exit code is lost; leave out the "&"`;
  const before = pipelines.slice(0, -1).filter(({ stages }) => !PREPARES.has(programOf(stages[0] ?? "")));
  const [first] = before;
  if (!first) return undefined;
  const alwaysSucceeds = ALWAYS_SUCCEEDS.test(last.stages[0] ?? "");
  if (last.operator === "||" && (alwaysSucceeds || before.some(({ stages }) => stages.some(isRunner))))
    return `the exit code of "${shown(first)}" is lost when it fails, and that of "${shown(last)}" counts; leave out "|| ${shown(last)}"`;
  if (last.operator === ";" || last.operator === "&")
    return `the exit code of "${shown(first)}" is lost, and that of "${shown(last)}" counts; write "&&" instead of "${last.operator}"`;
  return undefined;
}

/** Without bash, only the last stage of a pipe counts. */
function pipeTrouble({ pipelines }: ShellList): { readonly message: string; readonly isRefused: boolean } {
  const piped = pipelines.filter(({ stages }) => stages.length > 1);
  const isRefused = piped.some(({ stages }) => stages.slice(0, -1).some(isRunner));
  const message =
    "a pipe hides the exit code of all but its last command, and there is no bash here to run it with pipefail; install bash, or leave out the pipe";
  return { message, isRefused };
}

export function findShellProblems(gates: readonly GateSpec[], searchPath: string): ShellProblems {
  const hasBash = which("bash", searchPath) !== undefined;
  const refused: { gate: number; message: string }[] = [];
  const warnings: string[] = [];
  for (const [gate, { name, use }] of gates.entries()) {
    if (use.type !== "command" || typeof use.command !== "string") continue;
    const list = readShellList(use.command);
    const lost = lostIn(list);
    if (lost !== undefined) warnings.push(`gate "${name}": ${lost}`);
    if (!list.hasPipe || hasBash) continue;
    const { message, isRefused } = pipeTrouble(list);
    if (isRefused) refused.push({ gate, message: `gate "${name}": ${message}` });
    else warnings.push(`gate "${name}": ${message}`);
  }
  return { refused, warnings };
}
