import { describe, expect, it } from "vitest";
import { stateDirOf } from "#observers/state-copy";
import type { Task } from "#spec/task";

const taskWith = (stateDir: unknown) => ({ strategy: { type: "ralph", stateDir } }) as unknown as Task;

describe("the folder of the state copy", () => {
  it.each([
    [".state/", ".state"],
    ["..state", "..state"],
    ["a/../..state/x", "..state/x"],
    ["..", undefined],
    ["../state", undefined],
    [".", undefined],
    ["/state", undefined],
    [undefined, undefined],
  ])("%s gives %s", (stateDir, folder) => {
    expect(stateDirOf(taskWith(stateDir))).toBe(folder);
  });
});
