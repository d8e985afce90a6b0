// Runs a task with the built CLI and returns its events and outcome.
import { expect } from "vitest";
import type { Decision } from "#spec/decision";
import type { Outcome, RunEvent } from "#spec/event";
import { type Answer, ofType, type Sandbox, sandbox } from "./sandbox.ts";

type Files = Readonly<Record<string, string>>;

export interface Ran {
  readonly box: Sandbox;
  readonly code: number | null;
  readonly stderr: string;
  readonly events: readonly RunEvent[];
  readonly iterations: number;
  readonly prompts: readonly string[];
  readonly decisions: readonly Decision[];
  /** Absent when the run is paused or waits for a person. */
  readonly outcome?: Outcome;
  readonly reason: string;
  readonly partial: boolean;
}

/** Returns the task as converge.yaml. JSON is valid YAML. */
export function taskFile(task: object): Files {
  return { "converge.yaml": JSON.stringify({ prompt: "Do it.", ...task }, null, 2) };
}

export async function runTask(task: object, files: Files = {}): Promise<Ran> {
  const box = sandbox();
  box.write({ ...files, ...taskFile(task) });
  return ranIn(box, await box.converge("run", "--json"));
}

export function ranIn(box: Sandbox, { code, stderr, events }: Answer): Ran {
  const all = events();
  const ended = ofType(all, "run.ended").at(-1);
  const started = ofType(all, "iteration.started");
  return {
    box,
    code,
    stderr,
    events: all,
    iterations: started.length,
    prompts: started.map(({ prompt }) => prompt),
    decisions: ofType(all, "decision.made").map(({ decision }) => decision),
    ...(ended && { outcome: ended.outcome }),
    reason: ended?.reason ?? ofType(all, "run.parked").at(-1)?.reason ?? "",
    partial: ended?.partial ?? false,
  };
}

/** Runs a command such as `show` or `ls` with --json and returns the parsed lines. */
export async function asked<T>(box: Sandbox, ...args: string[]): Promise<T[]> {
  const { code, stdout, stderr } = await box.converge(...args, "--json");
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}
