import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Agent, AgentResult } from "#spec/agent";
import { ConflictError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Store } from "#spec/store";
import type { Protection } from "#spec/task";
import type { Verdict } from "#spec/verdict";
import type { Workspace } from "#spec/workspace";
import { inMemory } from "#stores/in-memory";
import { sqlite } from "#stores/sqlite/sqlite-store";
import { openDatabase } from "#system/sqlite";
import { type AgentExamples, agentConformance } from "#testing/agent";
import type { TestApi } from "#testing/api";
import { type GateExamples, gateConformance } from "#testing/gate";
import * as testing from "#testing/index";
import { memoryConformance } from "#testing/memory";
import { reachableStoreConformance } from "#testing/reachable-store";
import { exampleVerdict } from "#testing/run";
import { storeConformance } from "#testing/store";
import { workspaceConformance } from "#testing/workspace";
import { inPlace } from "#workspaces/in-place";
import { folders, temporary } from "../../support/folders.ts";
import { type Change, rewrite } from "../../support/tamper.ts";

/** Runs a suite, or those of its tests that are named, and tells which of them fail. */
async function broken(suite: (api: TestApi) => void, only = ""): Promise<string> {
  const tests: [string, () => Promise<void>][] = [];
  suite({ describe: (_, body) => body(), it: (title, body) => tests.push([title, body]), expect });
  const failed: string[] = [];
  for (const [title, body] of tests) if (title.includes(only)) await body().catch(() => failed.push(title));
  return failed.join("\n");
}

it("the suites are what the package exports for testing", () => {
  expect(
    Object.keys(testing)
      .filter((name) => name.endsWith("Conformance"))
      .sort(),
  ).toEqual([
    "agentConformance",
    "gateConformance",
    "memoryConformance",
    "reachableStoreConformance",
    "sessionsConformance",
    "sharedLogsConformance",
    "storeConformance",
    "strategyConformance",
    "workspaceConformance",
  ]);
});

describe("the suite for stores", () => {
  const lax = (parts: (store: Store) => Partial<Store>) => () => {
    const store = inMemory();
    return { store: { ...store, ...parts(store) } };
  };
  const defects: readonly [string, () => { store: Store }, string][] = [
    [
      "lets anybody append",
      lax((store) => ({
        append: async (run, _, events) =>
          store.append(run, (await store.read(run)).length, events).catch(() => {}),
      })),
      "refuses a writer",
    ],
    [
      "writes half of what it refuses",
      lax((store) => ({
        append: async (run, expected, events) => {
          const { length } = await store.read(run);
          if (length === expected) return store.append(run, expected, events);
          await store.append(run, length, [{ ...(events[0] as RunEvent), seq: length + 1 }]);
          throw new ConflictError(run, expected, length);
        },
      })),
      "writes nothing of it",
    ],
    [
      "throws another error",
      lax(() => ({ append: () => Promise.reject(new Error("busy")) })),
      "refuses a writer",
    ],
    [
      "gives the events in any order",
      lax((store) => ({ read: async (run, after) => [...(await store.read(run, after))].reverse() })),
      "in order",
    ],
    [
      "gives all events always",
      lax((store) => ({ read: (run) => store.read(run) })),
      "after the one asked for",
    ],
    [
      "lists the oldest run first",
      lax((store) => ({ runs: async () => [...(await store.runs())].reverse() })),
      "newest first",
    ],
    [
      "forgets whose command it was",
      lax((store) => ({ inbox: (_, after) => store.inbox("a", after) })),
      "unknown run|each run its own",
    ],
    [
      "cuts long values",
      lax((store) => ({
        read: async (run, after) =>
          (await store.read(run, after)).map((event) =>
            "prompt" in event ? { ...event, prompt: event.prompt.slice(0, 1000) } : event,
          ),
      })),
      "unchanged",
    ],
    [
      "hands out what it keeps",
      () => {
        const store = inMemory();
        const kept = new Map<string, readonly RunEvent[]>();
        const append: Store["append"] = async (run, expected, events) => {
          await store.append(run, expected, events);
          kept.set(run, [...(kept.get(run) ?? []), ...events]);
        };
        return { store: { ...store, append, read: async (run) => kept.get(run) ?? [] } };
      },
      "is not touched by what callers do",
    ],
  ];

  it.each(defects)("finds a store that %s", async (_, make, title) => {
    expect(await broken((api) => storeConformance("bad", make, api))).toMatch(new RegExp(title));
  });

  it("finds a store that does not see what others write", async () => {
    const make = () => ({ store: inMemory(), again: inMemory });
    expect(await broken((api) => storeConformance("bad", make, api))).toMatch(/others on the same place/);
  });
});

describe("the suite for stores that others can reach", () => {
  /** Believes whatever it finds, and writes after it. */
  function gullible(file: string): Store {
    const sound = sqlite(file);
    const database = openDatabase(file);
    const select = database.prepare("SELECT body FROM events WHERE run = ? AND seq > ? ORDER BY seq");
    const read: Store["read"] = async (run, after = 0) =>
      (select.all(run, after) as { body: string }[]).map(({ body }) => JSON.parse(body));
    const append: Store["append"] = async (run, expected, events) => {
      const fresh = sqlite(file);
      await fresh.append(run, expected, events).finally(() => fresh.close());
    };
    return { ...sound, read, append, close: () => sound.close().then(() => database.close()) };
  }

  it("finds one that believes what it finds", async () => {
    const make = () => {
      const file = path.join(temporary(), "converge.db");
      return {
        open: () => gullible(file),
        rewrite: (run: string, change: Change) => rewrite(file, run, change),
      };
    };
    const failed = (await broken((api) => reachableStoreConformance("bad", make, api))).split("\n");
    expect(failed.filter((title) => title.startsWith("refuses to read"))).toHaveLength(12);
    expect(failed.join("\n")).toMatch(/newest events.*\n.*its last event.*\n(.*\n)?.*after the point/);
  });
});

describe("the suite for agents", () => {
  const fine: AgentResult = {
    ok: true,
    exitCode: 0,
    message: "All is well.",
    usage: {},
    durationMs: 1,
    leftBehind: [],
  };
  const ending = (...results: readonly AgentResult[]): Agent => ({
    name: "bad",
    async *run() {
      for (const result of results) yield { type: "finished", result };
    },
  });
  const chattering: Agent = {
    name: "bad",
    async *run() {
      yield { type: "finished", result: fine };
      yield { type: "activity", text: "one more thing" };
    },
  };
  const leaving: Agent = {
    name: "bad",
    async *run({ dir }) {
      fs.writeFileSync(path.join(dir, "pids"), `${process.pid}\n`);
      yield { type: "finished", result: { ...fine, ok: false, failure: "timed-out", reason: "too long" } };
    },
  };
  const defects: readonly [string, Partial<AgentExamples>, string][] = [
    ["ends without a result", { says: () => ending() }, "one result"],
    ["ends twice", { says: () => ending(fine, fine) }, "one result"],
    ["goes on after its end", { says: () => chattering }, "one result"],
    ["gives an endless message", { says: (text) => ending({ ...fine, message: text }) }, "too long"],
    ["ignores a cancellation", { says: () => ending(fine) }, "cancelled beforehand"],
    ["does not read the prompt", { repeatsPrompt: () => ending(fine) }, "whole prompt"],
    ["calls a crash a success", { crashes: () => ending(fine) }, "tells of a crash"],
    [
      "fails without a reason",
      { crashes: () => ending({ ...fine, ok: false, failure: "crashed" }) },
      "tells of a crash",
    ],
    ["makes up its cost", { says: () => ending({ ...fine, usage: { costUsd: Number.NaN } }) }, "one result"],
    ["is not there and does not say so", { isNotInstalled: () => ending(fine) }, "not installed"],
    ["leaves processes behind", { hangs: () => leaving }, "time limit, and nothing is left running"],
  ];

  it.each(defects)("finds an agent that %s", async (_, examples, title) => {
    expect(await broken((api) => agentConformance("bad", { folders, ...examples }, api))).toMatch(title);
  });
});

describe("the suite for gates", () => {
  const giving = (parts: Partial<Verdict>) => (): Gate => ({
    name: "bad",
    judge: async () => exampleVerdict(parts),
  });
  const failures = [{ message: "no" }];
  const throwing = (): Gate => ({ name: "bad", judge: () => Promise.reject(new Error("broken")) });
  const defects: readonly [string, Partial<GateExamples>, string][] = [
    ["throws", { errors: throwing }, "well-formed verdict: errored"],
    ["passes with less than everything", { passes: giving({ status: "passed", score: 0.9 }) }, "well-formed"],
    ["fails with everything", { fails: giving({ score: 1, failures }) }, "well-formed"],
    ["gives a score that is no number", { fails: giving({ score: Number.NaN, failures }) }, "well-formed"],
    ["passes with failures", { passes: giving({ status: "passed", failures }) }, "well-formed"],
    ["fails without saying what", { fails: giving({}) }, "well-formed"],
    ["says nothing", { fails: giving({ summary: " ", failures }) }, "well-formed"],
    ["says it in two lines", { fails: giving({ summary: "a\nb", failures }) }, "well-formed"],
    [
      "cannot count",
      { fails: giving({ failures, tests: { total: 3, passed: 1, failed: 1, skipped: 0 } }) },
      "well-formed",
    ],
    [
      "passes although it was cancelled",
      { passes: giving({ status: "passed" }) },
      "cancelled beforehand: passed",
    ],
    ["calls a missing tool a failure", { errors: giving({ failures }) }, "well-formed verdict: errored"],
    ["passes when it gives up", { hangs: giving({ status: "passed" }) }, "gives up when it is cancelled"],
  ];

  it.each(defects)("finds a gate that %s", async (_, examples, title) => {
    expect(await broken((api) => gateConformance("bad", { folders, ...examples }, api))).toMatch(title);
  });
});

describe("the suite for memories", () => {
  let calls = 0;
  const defects: readonly [string, Memory, string][] = [
    ["remembers what never was", { recall: () => "hello" }, "nothing of a run"],
    [
      "is not the same twice",
      { recall: (run) => (run.iterations.length ? `${++calls}` : "") },
      "the same again",
    ],
    [
      "has no bound",
      { recall: (run) => "x".repeat(run.iterations.length * 1_000) },
      "at most 5000.*a long run",
    ],
    [
      "passes on control characters",
      {
        recall: (run) =>
          run.iterations
            .map(({ verdicts }) => verdicts[0]?.verdict.summary ?? "")
            .join("\n")
            .slice(0, 100),
      },
      "plain text.*full of controls",
    ],
    [
      "writes into the run",
      {
        recall: (run) => {
          (run.iterations as unknown[]).splice(0, 1);
          return "";
        },
      },
      "leaving the run as it is",
    ],
  ];

  it.each(defects)("finds a memory that %s", async (_, memory, title) => {
    expect(await broken((api) => memoryConformance("bad", () => memory, api, 5_000))).toMatch(
      new RegExp(title),
    );
  });

  const recall: Memory["recall"] = (run) => (run.iterations.length ? "something" : "");
  const summing = (note: NonNullable<Memory["note"]>): Memory => ({ recall, note });
  const bad: readonly [string, Memory, string][] = [
    ["throws", summing(() => Promise.reject(new Error("no"))), "sums up in plain"],
    ["sums up without bound", summing(async () => ({ text: "x".repeat(20_000) })), "sums up in plain"],
    ["passes on what it was told", summing(async () => ({ text: "\u001b[2J" })), "sums up in plain"],
    ["has neither a text nor a reason", summing(async () => ({ text: "" })), "sums up in plain"],
    ["guesses", summing(async () => ({ text: "x", usage: { costUsd: -1 } })), "sums up in plain"],
    ["forgets", { recall: () => "", note: async () => ({ text: "x" }) }, "that it recalls"],
    ["does not heed a stop", summing(async () => ({ text: "x" })), "cancelled beforehand"],
    ["takes a failure for a summary", summing(async () => ({ text: "x" })), "tells of a failure"],
    [
      "throws when it is told to stop",
      summing(async (_, signal) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        throw signal.reason;
      }),
      "ends when it is cancelled",
    ],
  ];

  it.each(bad)("finds a memory whose note %s", async (_, memory, title) => {
    const suite = (api: TestApi) =>
      memoryConformance("bad", () => memory, api, 5_000, {
        folders,
        fails: () => memory,
        hangs: () => memory,
      });
    expect(await broken(suite, title)).toContain(title);
  });
});

describe("the suite for workspaces", () => {
  const lax = (parts: (workspace: Workspace) => Partial<Workspace>) => async () => {
    const root = temporary();
    const dir = path.join(root, "project");
    fs.mkdirSync(dir);
    const workspace = await inPlace({ dir, shadowDir: path.join(root, "shadow.git"), exclude: [] });
    return { ...workspace, ...parts(workspace) };
  };
  const defects: readonly [string, () => Promise<Workspace>, string][] = [
    [
      "gives every snapshot the same tree",
      lax((workspace) => ({ snapshot: async () => ({ ...(await workspace.snapshot()), tree: "same" }) })),
      "different files different ones",
    ],
    [
      "counts only what it lists",
      lax((workspace) => ({
        snapshot: async (since) => {
          const snapshot = await workspace.snapshot(since);
          return { ...snapshot, changeCount: snapshot.changes.length };
        },
      })),
      "counts every change",
    ],
    [
      "sees no outputs",
      lax(() => ({ findOutputs: async () => ({ paths: [], trees: {} }) })),
      "leaves out what gates wrote",
    ],
    ["shows no difference", lax(() => ({ diff: async () => "" })), "difference between two trees"],
    [
      "does not restore",
      lax((workspace) => ({ restore: () => workspace.snapshot() })),
      "restores every file",
    ],
    [
      "does not save what it replaces",
      lax((workspace) => ({
        restore: async (tree) => {
          await workspace.restore(tree);
          return workspace.snapshot();
        },
      })),
      "what was there before",
    ],
    [
      "turns line ends",
      lax((workspace) => ({
        restore: async (tree) => {
          const saved = await workspace.restore(tree);
          const file = path.join(workspace.dir, "windows.txt");
          if (fs.existsSync(file)) fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll("\r", ""));
          return saved;
        },
      })),
      "to the byte",
    ],
    [
      "tidies up what is ignored",
      lax((workspace) => ({
        restore: async (tree) => {
          fs.rmSync(path.join(workspace.dir, "cache"), { recursive: true, force: true });
          return workspace.restore(tree);
        },
      })),
      "leaves ignored files alone",
    ],
    ["finds no fault with anything", lax(() => ({ tampering: async () => undefined })), "sees every change"],
    [
      "minds times",
      lax((workspace) => ({
        tampering: async (seal, paths) => {
          const { mtimeMs } = fs.statSync(path.join(workspace.dir, "plain.txt"));
          return mtimeMs > Date.now() ? { changes: [], diff: "" } : workspace.tampering(seal, paths);
        },
      })),
      "finds nothing wrong",
    ],
    [
      "lets nothing new come",
      lax((workspace) => ({
        tampering: (seal, paths) =>
          workspace.tampering(
            seal,
            paths.map((one) => ({ ...one, grows: false })),
          ),
      })),
      "lets new files come only where they may",
    ],
    [
      "takes a value for its file",
      lax((workspace) => {
        const whole = (paths: readonly Protection[]) => paths.map(({ path, grows }) => ({ path, grows }));
        return {
          tampering: (seal, paths) => workspace.tampering(seal, whole(paths)),
          mend: (seal, paths, dir) => workspace.mend(seal, whole(paths), dir),
        };
      }),
      "one value of a JSON file",
    ],
    ["puts nothing back", lax(() => ({ mend: async () => {} })), "puts it back to the byte"],
    [
      "puts it back in the wrong place",
      lax((workspace) => ({ mend: (seal, paths) => workspace.mend(seal, paths) })),
      "into a copy",
    ],
    [
      "shows nothing of what was done",
      lax((workspace) => ({
        tampering: async (seal, paths) => {
          const found = await workspace.tampering(seal, paths);
          return found && { ...found, diff: "" };
        },
      })),
      "shows what was done",
    ],
  ];

  it.each(defects)("finds a workspace that %s", async (_, make, title) => {
    expect(await broken((api) => workspaceConformance("bad", make, api), title)).toMatch(title);
  });
});
