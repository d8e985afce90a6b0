// Runs a piped shell command in bash with pipefail: /bin/sh reports only the exit code of the last stage, so the failing
// tests of `make test | tee log` would pass.
import { readShellList } from "./shell.ts";
import { which } from "./which.ts";

/** Ignores SIGPIPE (141): a stage dies of it when its reader has read enough, as in `yes | head -1`. */
const PROLOGUE = `set -o pipefail
converge_stage() { local code=$?; [ "$code" -eq 141 ] || return "$code"; }
`;

/** Puts every stage but the last into a subshell, which it gets anyway, so that its SIGPIPE can be ignored. */
function ignoreSigpipe(stages: readonly string[]): string {
  const last = stages.length - 1;
  return stages.map((stage, at) => (at < last ? `{ (${stage}\n); converge_stage; }` : stage)).join(" | ");
}

function scriptFor(command: string): string {
  const { pipelines, trailing = "", isSimple } = readShellList(command);
  // Groups and loops stay as written: in them, a stage that dies of SIGPIPE fails.
  if (!isSimple) return PROLOGUE + command;
  const list = pipelines.map(({ stages, operator = "" }) => `${operator} ${ignoreSigpipe(stages)}`);
  return `${PROLOGUE + list.join(" ").trim()} ${trailing}`;
}

/** Returns the command unchanged, or a bash call with pipefail when the command has a pipe and bash is installed. */
export function withPipefail(
  command: string | readonly string[],
  searchPath: string,
): string | readonly string[] {
  if (typeof command !== "string" || !readShellList(command).hasPipe) return command;
  const bash = which("bash", searchPath);
  return bash === undefined ? command : [bash, "-c", scriptFor(command)];
}
