// Runs a piped shell command in bash with pipefail: /bin/sh tells the exit code of the last stage only, so the failing
// tests of `make test | tee log` would pass.
import { readShellList } from "./shell-list.ts";
import { which } from "./which.ts";

/** A stage that writes to a reader that has read enough dies of SIGPIPE, as `yes | head -1` does by design. */
const PROLOGUE = `set -o pipefail
converge_stage() { local code=$?; [ "$code" -eq 141 ] || return "$code"; }
`;

/** Every stage but the last in a subshell, which it has anyway, so that its SIGPIPE can be overlooked. */
function tolerant(stages: readonly string[]): string {
  const last = stages.length - 1;
  return stages.map((stage, at) => (at < last ? `{ (${stage}\n); converge_stage; }` : stage)).join(" | ");
}

function scriptFor(command: string): string {
  const { pipelines, trailing = "", isSimple } = readShellList(command);
  // Groups and loops are left as they are: there, a stage that dies of SIGPIPE fails.
  if (!isSimple) return PROLOGUE + command;
  const list = pipelines.map(({ stages, operator = "" }) => `${operator} ${tolerant(stages)}`);
  return `${PROLOGUE + list.join(" ").trim()} ${trailing}`;
}

/** The command, or what bash makes of it when it has a pipe and there is a bash. */
export function withPipefail(
  command: string | readonly string[],
  searchPath: string,
): string | readonly string[] {
  if (typeof command !== "string" || !readShellList(command).hasPipe) return command;
  const bash = which("bash", searchPath);
  return bash === undefined ? command : [bash, "-c", scriptFor(command)];
}
