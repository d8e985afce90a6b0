// converge hook: what agent programs call when something happens in a session.
import { UsageError } from "#spec/errors";

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

/** Keeps session loops for programs that cannot load us: one call in, one answer out. */
export async function session(): Promise<number> {
  const { answerCall } = await import("#hooks/session-call");
  process.stdout.write(`${await answerCall(await standardInput())}\n`);
  return 0;
}
