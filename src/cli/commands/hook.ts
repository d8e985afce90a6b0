// converge hook: the command that agent programs call on session events.
import { UsageError } from "#spec/errors";
import { unknownName } from "#text/nearest-name";
import { INTERNAL_ERROR } from "../support/exit-code.ts";

const LONGEST_INPUT = 64 * 1_048_576;

async function standardInput(): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin) {
    size += piece.length;
    if (size > LONGEST_INPUT) throw new UsageError(`standard input is longer than ${LONGEST_INPUT} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** Session loops for programs that cannot import us: reads one call, prints one answer. */
export async function session(): Promise<number> {
  const { answerCall } = await import("#hooks/session-call");
  process.stdout.write(`${await answerCall(await standardInput())}\n`);
  return 0;
}

/** Handles a hook such as `claude-stop`. Must not exit with 2, our usage error: programs take it as "go on". */
export async function happened(name: string): Promise<number> {
  const { answerCommandHook, COMMAND_HOOKS } = await import("#hooks/answer-command-hook");
  const hook = COMMAND_HOOKS.get(name);
  if (!hook) {
    process.stderr.write(`converge: ${unknownName("hook", name, [...COMMAND_HOOKS.keys()])}\n`);
    return INTERNAL_ERROR;
  }
  // Treat oversized input as empty: it cannot be the program's JSON.
  const input = await standardInput().catch(() => "");
  process.stdout.write(`${await answerCommandHook(hook, input)}\n`);
  return 0;
}
