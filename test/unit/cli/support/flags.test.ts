import { describe, expect, it } from "vitest";
import {
  agentFlags,
  GATE,
  limitFlags,
  protectFlags,
  runFlags,
  taskFrom,
  workspaceFlags,
} from "#cli/support/flags";

const limits = limitFlags({ iterations: "20", time: "none" });

describe("taskFrom", () => {
  it("omits options that are not given", () => {
    expect(taskFrom([...agentFlags, ...limits, ...protectFlags, ...runFlags], { json: true })).toEqual({});
  });

  it("collects options with a common outer key", () => {
    const options = [...limits, ...workspaceFlags, ...runFlags];
    const flags = {
      maxIterations: "5",
      iterationTimeout: "20m",
      isolation: "strict",
      requireIsolation: true,
    };
    expect(taskFrom(options, flags)).toEqual({
      limits: { iterations: 5, iteration: "20m" },
      isolation: { type: "strict", require: "contained" },
    });
  });

  it("passes an invalid number on to the task schema", () => {
    expect(taskFrom(limits, { maxIterations: "many", maxCost: "" })).toEqual({
      limits: { iterations: "many", cost: "" },
    });
  });

  it("converts agents, gates and protected files", () => {
    const options = [...agentFlags, GATE, ...protectFlags];
    expect(taskFrom(options, { agentCmd: "./agent", gate: ["npm test"], protect: ["a/**"] })).toEqual({
      agent: { type: "command", command: "./agent" },
      gates: ["npm test"],
      protect: ["default", "a/**"],
    });
    expect(taskFrom(options, { agent: "codex", protect: false })).toEqual({ agent: "codex", protect: "off" });
  });

  it("rejects two options that set the same key", () => {
    expect(() => taskFrom(agentFlags, { agent: "codex", agentCmd: "./agent" })).toThrow(
      "give --agent or --agent-cmd, not both",
    );
  });
});
