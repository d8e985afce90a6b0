// Level 1: runs set-up commands, then test commands, each judged like the command gate.

import { failure } from "#parsers/shared/failure";
import type { Verdict } from "#spec/verdict";
import { type CommandGateOptions, command } from "../command.ts";
import type { Level, Look, Result } from "./level.ts";

export interface TestCommand extends CommandGateOptions {
  readonly name?: string | undefined;
}

export interface TestsOptions {
  readonly setup: readonly TestCommand[];
  readonly commands: readonly TestCommand[];
}

export function tests({ setup, commands }: TestsOptions): Level {
  const before = setup.map((each) => ({ ...each, id: `L1 setup: ${nameOf(each)}` }));
  const all = commands.map((each) => ({ ...each, id: `L1 tests: ${nameOf(each)}` }));
  return {
    number: 1,
    name: "tests",
    ids: [...before, ...all].map(({ id }) => id),
    async *run(look) {
      for (const step of before) {
        const made = await judged(step, look);
        // Without its set-up, the tests would say nothing about the files.
        yield made.status === "passed" ? made : { ...made, status: "errored" };
        if (made.status !== "passed") return;
      }
      for (const each of all) {
        if (look.signal.aborted) return;
        yield await judged(each, look);
      }
    },
  };
}

const nameOf = ({ name, command: program }: TestCommand) =>
  name ?? (typeof program === "string" ? program : program.join(" "));

async function judged(
  { id, ...options }: TestCommand & { readonly id: string },
  look: Look,
): Promise<Result> {
  const verdict = await command(id, options).judge(look.request, look.signal);
  const { status } = verdict;
  return {
    id,
    status: status === "passed" || status === "failed" ? status : "errored",
    failures: failuresOf(id, nameOf(options), verdict),
    ...(verdict.tests && { tests: verdict.tests }),
    ...(status === "errored" && { unable: true as const }),
  };
}

/** Prefixes the id of a failing test with its command, so that equal names of two commands stay distinct. */
function failuresOf(id: string, name: string, verdict: Verdict): Result["failures"] {
  return verdict.failures.map((each) =>
    failure({ ...each, id: each.id === undefined ? id : `L1 ${name}: ${each.id}` }),
  );
}
