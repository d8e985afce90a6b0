import { expect, it } from "vitest";
import { ofType, sandbox } from "../support/sandbox.ts";

it("runs until the gate passes and exits 0", async () => {
  const box = sandbox();
  box.write({ n: "0", "agent.sh": '#!/bin/sh\necho "$CONVERGE_ITERATION" > n\n' });
  const { code, events } = await box.converge(
    "run",
    "-p",
    "count",
    "--agent-cmd",
    "./agent.sh",
    "--gate",
    'test "$(cat n)" = 3',
    "--json",
  );
  expect(code).toBe(0);
  expect(ofType(events(), "iteration.started")).toHaveLength(3);
});
