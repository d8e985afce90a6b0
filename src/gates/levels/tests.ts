// Level 1: runs set-up commands, then test commands, each judged like the command gate.

import { failure } from "#parsers/shared/failure";
import type { Verdict } from "#spec/verdict";
import { type CommandGateOptions, command } from "../command.ts";
import type { CheckContext, Level, Result } from "./level.ts";

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
    async *run(context) {
      for (const step of before) {
        const result = await judgeCommand(step, context);
        // Without its set-up, the tests would say nothing about the files.
        yield result.status === "passed" ? result : { ...result, status: "errored" };
        if (result.status !== "passed") return;
      }
      for (const each of all) {
        if (context.signal.aborted) return;
        yield await judgeCommand(each, context);
      }
    },
  };
}

const nameOf = ({ name, command: program }: TestCommand) =>
  name ?? (typeof program === "string" ? program : program.join(" "));

async function judgeCommand(
  { id, ...options }: TestCommand & { readonly id: string },
  context: CheckContext,
): Promise<Result> {
  const verdict = await command(id, options).judge(context.request, context.signal);
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
