// Builds the levels gate from options as in a task file and runs it on real folders.
import { builtIns } from "#catalog/built-ins";
import type { Gate, JudgeRequest } from "#spec/gate";
import type { Verdict } from "#spec/verdict";
import { exampleRequest, exampleRun } from "#testing/run";
import { uniqueRun } from "#testing/unique-run";
import { folders, write } from "../../../support/folders.ts";

const context = {
  name: "levels",
  onClose: () => {},
  commands: [],
  prices: {},
  agent: () => Promise.reject(new Error("no agent")),
};
const grace = { interrupt: "100ms", terminate: "100ms" };

export function levels(options: object): Gate {
  return builtIns().gates.create({ type: "levels", grace, ...options }, context) as Gate;
}

type Files = Readonly<Record<string, string | Uint8Array>>;

interface Judging extends Partial<JudgeRequest> {
  readonly files?: never;
  readonly prepare?: (dir: string) => void;
}

/** Runs the gate on a workspace with these files. */
export async function judge(options: object, files: Files = {}, more: Judging = {}): Promise<Verdict> {
  const places = folders();
  write(places.dir, files);
  const { prepare, ...request } = more;
  prepare?.(places.dir);
  const run = { ...exampleRun([]), id: uniqueRun() };
  return levels(options).judge(exampleRequest({ run, ...request, ...places }), new AbortController().signal);
}

/** Maps each check's id to its status. */
export function statuses({ checks = [] }: Verdict): Record<string, string> {
  return Object.fromEntries(checks.map(({ id, status }) => [id, status]));
}
