import { describe, expect, it } from "vitest";
import { exampleRun, exampleVerdict } from "#testing/run";
import { gateRows } from "../../../src/cli/output/gate-rows.ts";
import { render } from "../../../src/cli/output/spans.ts";
import { createStyle } from "../../../src/cli/output/style.ts";

const style = createStyle({ color: false, unicode: true });

function shown(message: string): string[] {
  const verdict = {
    ...exampleVerdict({ status: "failed" }),
    summary: "exit code 1",
    failures: [{ message }],
  };
  return gateRows(exampleRun([{}]), "lint", verdict, style).map((parts) => render(parts, 100, style));
}

describe("a failure that is no test", () => {
  it("does not repeat the summary", () => {
    expect(shown("exit code 1")).toHaveLength(1);
  });

  it("shows the last line of the output", () => {
    expect(shown("exit code 1\nsrc/a.js\n  Unexpected token\n").at(-1)).toBe("      Unexpected token");
  });
});
