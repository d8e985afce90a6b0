// Detects shell gates that lose the exit code of their tests: pipes without bash, and commands joined by `;`, `||` or `&`.
import path from "node:path";
import type { GateSpec } from "#spec/task";
import { type Pipeline, readShellList, type ShellList } from "#system/shell";
import { which } from "#system/which";
import { oneLine } from "#text/plain-text";

interface ShellProblems {
  /** Errors, by index of the gate: commands that would hide failing tests. */
  readonly refused: readonly { readonly gate: number; readonly message: string }[];
  readonly warnings: readonly string[];
}

const SHOWN_CHARS = 80;

/** Programs whose exit code reports whether tests pass. */
const RUNNERS = new Set(
  (
    "npm npx pnpm yarn bun bunx deno node tsx vitest jest mocha ava tap playwright cypress tsc eslint biome pytest py.test python " +
    "python3 tox nox hatch uv poetry pdm pipenv coverage go gotestsum cargo dotnet php phpunit pest composer ruby rspec rake " +
    "bundle rails mvn mvnw gradle gradlew make gmake just task cmake ctest meson ninja bazel mix swift flutter dart java sbt"
  ).split(" "),
);

/** Setup commands: when they fail, the following command fails too. */
const SETUP_COMMANDS = new Set(
  "cd export set unset source . umask ulimit trap mkdir rm cp mv touch shopt alias eval sleep".split(" "),
);

/** Commands that always succeed. */
const ALWAYS_SUCCEEDS = /^(?:true|:|echo|printf|exit 0|date|ls|cat|pwd|sleep)(?:\s|$)/;

/** The program of a command, without leading variable assignments. */
function programOf(stage: string): string {
  const [word = ""] = stage.split(/\s+/).filter((each) => !/^\w+=/.test(each));
  return path.basename(word);
}

const isRunner = (stage: string): boolean => RUNNERS.has(programOf(stage)) || /(?:^|\/)\S+\.sh\b/.test(stage);

const formatPipeline = ({ stages }: Pipeline): string => oneLine(stages.join(" | "), SHOWN_CHARS);

/** Describes the exit code that the last operator discards; undefined when none is lost. */
function findLostExitCode({ pipelines, trailing, isSimple }: ShellList): string | undefined {
  const hasErrexit = pipelines.some(({ stages }) => /^set\s+-(?:\w*e|o\s+errexit)/.test(stages[0] ?? ""));
  if (!isSimple || hasErrexit) return undefined;
  const last = pipelines.at(-1);
  if (!last) return undefined;
  if (trailing === "&")
    return `"${formatPipeline(last)}" runs in the background, and its exit code is lost; remove the "&"`;
  const earlier = pipelines
    .slice(0, -1)
    .filter(({ stages }) => !SETUP_COMMANDS.has(programOf(stages[0] ?? "")));
  const [first] = earlier;
  if (!first) return undefined;
  const alwaysSucceeds = ALWAYS_SUCCEEDS.test(last.stages[0] ?? "");
  if (last.operator === "||" && (alwaysSucceeds || earlier.some(({ stages }) => stages.some(isRunner))))
    return `the exit code of "${formatPipeline(first)}" is lost when it fails, and that of "${formatPipeline(last)}" counts; remove "|| ${formatPipeline(last)}"`;
  if (last.operator === ";" || last.operator === "&")
    return `the exit code of "${formatPipeline(first)}" is lost, and that of "${formatPipeline(last)}" counts; write "&&" instead of "${last.operator}"`;
  return undefined;
}

/** Describes a pipe without bash, where only the exit code of the last stage counts. */
function describePipe({ pipelines }: ShellList): { readonly message: string; readonly isRefused: boolean } {
  const piped = pipelines.filter(({ stages }) => stages.length > 1);
  const isRefused = piped.some(({ stages }) => stages.slice(0, -1).some(isRunner));
  const message =
    "a pipe hides the exit code of all but its last command, and bash is not installed to run it with pipefail; install bash, or remove the pipe";
  return { message, isRefused };
}

export function findShellProblems(gates: readonly GateSpec[], searchPath: string): ShellProblems {
  const hasBash = which("bash", searchPath) !== undefined;
  const refused: { gate: number; message: string }[] = [];
  const warnings: string[] = [];
  for (const [gate, { name, use }] of gates.entries()) {
    if (use.type !== "command" || typeof use.command !== "string") continue;
    const list = readShellList(use.command);
    const lost = findLostExitCode(list);
    if (lost !== undefined) warnings.push(`gate "${name}": ${lost}`);
    if (!list.hasPipe || hasBash) continue;
    const { message, isRefused } = describePipe(list);
    if (isRefused) refused.push({ gate, message: `gate "${name}": ${message}` });
    else warnings.push(`gate "${name}": ${message}`);
  }
  return { refused, warnings };
}
