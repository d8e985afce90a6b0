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

/** Runs a suite, or its tests whose title contains `only`, and returns the titles that fail. */
async function failingTests(suite: (api: TestApi) => void, only = ""): Promise<string> {
  const tests: [string, () => Promise<void>][] = [];
  suite({ describe: (_, body) => body(), it: (title, body) => tests.push([title, body]), expect });
  const failed: string[] = [];
  for (const [title, body] of tests) if (title.includes(only)) await body().catch(() => failed.push(title));
  return failed.join("\n");
}

it("exports one conformance suite per port", () => {
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
  const withDefect = (parts: (store: Store) => Partial<Store>) => () => {
    const store = inMemory();
    return { store: { ...store, ...parts(store) } };
  };
  const defects: readonly [string, () => { store: Store }, string][] = [
    [
      "accepts any append",
      withDefect((store) => ({
        append: async (run, _, events) =>
          store.append(run, (await store.read(run)).length, events).catch(() => {}),
      })),
      "rejects a writer",
    ],
    [
      "writes part of a rejected append",
      withDefect((store) => ({
        append: async (run, expected, events) => {
          const { length } = await store.read(run);
          if (length === expected) return store.append(run, expected, events);
          await store.append(run, length, [{ ...(events[0] as RunEvent), seq: length + 1 }]);
          throw new ConflictError(run, expected, length);
        },
      })),
      "and writes nothing",
    ],
    [
      "throws another error",
      withDefect(() => ({ append: () => Promise.reject(new Error("busy")) })),
      "rejects a writer",
    ],
    [
      "returns events in any order",
      withDefect((store) => ({ read: async (run, after) => [...(await store.read(run, after))].reverse() })),
      "in order",
    ],
    [
      "always returns all events",
      withDefect((store) => ({ read: (run) => store.read(run) })),
      "after the given number",
    ],
    [
      "lists the oldest run first",
      withDefect((store) => ({ runs: async () => [...(await store.runs())].reverse() })),
      "newest first",
    ],
    [
      "mixes up the commands of runs",
      withDefect((store) => ({ inbox: (_, after) => store.inbox("a", after) })),
      "unknown run|separately for each run",
    ],
    [
      "truncates long values",
      withDefect((store) => ({
        read: async (run, after) =>
          (await store.read(run, after)).map((event) =>
            "prompt" in event ? { ...event, prompt: event.prompt.slice(0, 1000) } : event,
          ),
      })),
      "unchanged",
    ],
    [
      "returns its own objects",
      () => {
        const store = inMemory();
        const kept = new Map<string, readonly RunEvent[]>();
        const append: Store["append"] = async (run, expected, events) => {
          await store.append(run, expected, events);
          kept.set(run, [...(kept.get(run) ?? []), ...events]);
        };
        return { store: { ...store, append, read: async (run) => kept.get(run) ?? [] } };
      },
      "is unaffected when callers mutate",
    ],
  ];

  it.each(defects)("detects a store that %s", async (_, make, title) => {
    expect(await failingTests((api) => storeConformance("bad", make, api))).toMatch(new RegExp(title));
  });

  it("detects a store that does not see other writers", async () => {
    const make = () => ({ store: inMemory(), again: inMemory });
    expect(await failingTests((api) => storeConformance("bad", make, api))).toMatch(
      /other openers of the same store/,
    );
  });
});

describe("the suite for stores that other processes can edit", () => {
  /** Returns and extends rows without verifying them. */
  function unverified(file: string): Store {
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

  it("detects a store that does not verify its rows", async () => {
    const make = () => {
      const file = path.join(temporary(), "converge.db");
      return {
        open: () => unverified(file),
        rewrite: (run: string, change: Change) => rewrite(file, run, change),
      };
    };
    const failed = (await failingTests((api) => reachableStoreConformance("bad", make, api))).split("\n");
    expect(failed.filter((title) => title.startsWith("rejects reading"))).toHaveLength(12);
    expect(failed.join("\n")).toMatch(
      /newest known events.*\n.*its last event.*\n(.*\n)?.*only for later ones/,
    );
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
  const endWith = (...results: readonly AgentResult[]): Agent => ({
    name: "bad",
    async *run() {
      for (const result of results) yield { type: "finished", result };
    },
  });
  const eventAfterEnd: Agent = {
    name: "bad",
    async *run() {
      yield { type: "finished", result: fine };
      yield { type: "activity", text: "one more thing" };
    },
  };
  const leavesProcess: Agent = {
    name: "bad",
    async *run({ dir }) {
      fs.writeFileSync(path.join(dir, "pids"), `${process.pid}\n`);
      yield { type: "finished", result: { ...fine, ok: false, failure: "timed-out", reason: "too long" } };
    },
  };
  const defects: readonly [string, Partial<AgentExamples>, string][] = [
    ["ends without a result", { says: () => endWith() }, "exactly one result"],
    ["ends twice", { says: () => endWith(fine, fine) }, "exactly one result"],
    ["yields events after its end", { says: () => eventAfterEnd }, "exactly one result"],
    [
      "does not truncate its message",
      { says: (text) => endWith({ ...fine, message: text }) },
      "truncates a long message",
    ],
    ["ignores a cancellation", { says: () => endWith(fine) }, "already cancelled"],
    ["does not read the prompt", { repeatsPrompt: () => endWith(fine) }, "whole prompt"],
    ["reports a crash as success", { crashes: () => endWith(fine) }, "reports a crash"],
    [
      "fails without a reason",
      { crashes: () => endWith({ ...fine, ok: false, failure: "crashed" }) },
      "reports a crash",
    ],
    [
      "reports an invalid cost",
      { says: () => endWith({ ...fine, usage: { costUsd: Number.NaN } }) },
      "exactly one result",
    ],
    ["does not report that it is missing", { isNotInstalled: () => endWith(fine) }, "not installed"],
    [
      "leaves processes behind",
      { hangs: () => leavesProcess },
      "at its timeout, and leaves no process running",
    ],
  ];

  it.each(defects)("detects an agent that %s", async (_, examples, title) => {
    expect(await failingTests((api) => agentConformance("bad", { folders, ...examples }, api))).toMatch(
      title,
    );
  });
});

describe("the suite for gates", () => {
  const verdictGate = (parts: Partial<Verdict>) => (): Gate => ({
    name: "bad",
    judge: async () => exampleVerdict(parts),
  });
  const failures = [{ message: "no" }];
  const throwingGate = (): Gate => ({ name: "bad", judge: () => Promise.reject(new Error("broken")) });
  const defects: readonly [string, Partial<GateExamples>, string][] = [
    ["throws", { errors: throwingGate }, "well-formed verdict: errored"],
    ["passes with a score below 1", { passes: verdictGate({ status: "passed", score: 0.9 }) }, "well-formed"],
    ["fails with a score of 1", { fails: verdictGate({ score: 1, failures }) }, "well-formed"],
    ["gives NaN as score", { fails: verdictGate({ score: Number.NaN, failures }) }, "well-formed"],
    ["passes with failures", { passes: verdictGate({ status: "passed", failures }) }, "well-formed"],
    ["fails without failures", { fails: verdictGate({}) }, "well-formed"],
    ["has a blank summary", { fails: verdictGate({ summary: " ", failures }) }, "well-formed"],
    ["has a summary of two lines", { fails: verdictGate({ summary: "a\nb", failures }) }, "well-formed"],
    [
      "has test counts that do not add up",
      { fails: verdictGate({ failures, tests: { total: 3, passed: 1, failed: 1, skipped: 0 } }) },
      "well-formed",
    ],
    [
      "passes although it was cancelled",
      { passes: verdictGate({ status: "passed" }) },
      "already cancelled: passed",
    ],
    [
      "reports a missing tool as a failure",
      { errors: verdictGate({ failures }) },
      "well-formed verdict: errored",
    ],
    [
      "passes when it is cancelled",
      { hangs: verdictGate({ status: "passed" }) },
      "without a pass when it is cancelled",
    ],
  ];

  it.each(defects)("detects a gate that %s", async (_, examples, title) => {
    expect(await failingTests((api) => gateConformance("bad", { folders, ...examples }, api))).toMatch(title);
  });
});

describe("the suite for memories", () => {
  let calls = 0;
  const defects: readonly [string, Memory, string][] = [
    ["recalls something for an empty run", { recall: () => "hello" }, "nothing for a run"],
    [
      "recalls different texts",
      { recall: (run) => (run.iterations.length ? `${++calls}` : "") },
      "the same text again",
    ],
    [
      "has no length limit",
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
      "plain text.*full of control characters",
    ],
    [
      "writes into the run",
      {
        recall: (run) => {
          (run.iterations as unknown[]).splice(0, 1);
          return "";
        },
      },
      "without changing the run",
    ],
  ];

  it.each(defects)("detects a memory that %s", async (_, memory, title) => {
    expect(
      await failingTests((api) => memoryConformance("bad", { make: () => memory, bound: 5_000 }, api)),
    ).toMatch(new RegExp(title));
  });

  const recall: Memory["recall"] = (run) => (run.iterations.length ? "something" : "");
  const withNote = (note: NonNullable<Memory["note"]>): Memory => ({ recall, note });
  const bad: readonly [string, Memory, string][] = [
    ["throws", withNote(() => Promise.reject(new Error("no"))), "writes a plain note"],
    ["has no length limit", withNote(async () => ({ text: "x".repeat(20_000) })), "writes a plain note"],
    ["passes on control characters", withNote(async () => ({ text: "\u001b[2J" })), "writes a plain note"],
    ["has neither text nor problem", withNote(async () => ({ text: "" })), "writes a plain note"],
    [
      "reports a negative cost",
      withNote(async () => ({ text: "x", usage: { costUsd: -1 } })),
      "writes a plain note",
    ],
    ["is not recalled", { recall: () => "", note: async () => ({ text: "x" }) }, "and recalls it"],
    ["ignores a cancellation", withNote(async () => ({ text: "x" })), "already cancelled"],
    ["reports a failure as a summary", withNote(async () => ({ text: "x" })), "reports a failure"],
    [
      "throws when it is cancelled",
      withNote(async (_, signal) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        throw signal.reason;
      }),
      "returns when it is cancelled",
    ],
  ];

  it.each(bad)("detects a memory whose note %s", async (_, memory, title) => {
    const suite = (api: TestApi) =>
      memoryConformance(
        "bad",
        {
          make: () => memory,
          bound: 5_000,
          notes: { folders, fails: () => memory, hangs: () => memory },
        },
        api,
      );
    expect(await failingTests(suite, title)).toContain(title);
  });
});

describe("the suite for workspaces", () => {
  const withDefect = (parts: (workspace: Workspace) => Partial<Workspace>) => async () => {
    const root = temporary();
    const dir = path.join(root, "project");
    fs.mkdirSync(dir);
    const workspace = await inPlace({ dir, shadowDir: path.join(root, "shadow.git"), exclude: [] });
    return { ...workspace, ...parts(workspace) };
  };
  const defects: readonly [string, () => Promise<Workspace>, string][] = [
    [
      "gives every snapshot the same tree",
      withDefect((workspace) => ({
        snapshot: async () => ({ ...(await workspace.snapshot()), tree: "same" }),
      })),
      "different files different ones",
    ],
    [
      "counts only listed changes",
      withDefect((workspace) => ({
        snapshot: async (since) => {
          const snapshot = await workspace.snapshot(since);
          return { ...snapshot, changeCount: snapshot.changes.length };
        },
      })),
      "counts every change",
    ],
    [
      "finds no outputs",
      withDefect(() => ({ findOutputs: async () => ({ paths: [], trees: {} }) })),
      "excludes outputs that gates wrote",
    ],
    ["shows no difference", withDefect(() => ({ diff: async () => "" })), "difference between two trees"],
    [
      "does not restore",
      withDefect((workspace) => ({ restore: () => workspace.snapshot() })),
      "restores every file",
    ],
    [
      "does not save replaced files",
      withDefect((workspace) => ({
        restore: async (tree) => {
          await workspace.restore(tree);
          return workspace.snapshot();
        },
      })),
      "saves the replaced files",
    ],
    [
      "changes line endings",
      withDefect((workspace) => ({
        restore: async (tree) => {
          const saved = await workspace.restore(tree);
          const file = path.join(workspace.dir, "windows.txt");
          if (fs.existsSync(file)) fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll("\r", ""));
          return saved;
        },
      })),
      "byte for byte",
    ],
    [
      "deletes ignored files",
      withDefect((workspace) => ({
        restore: async (tree) => {
          fs.rmSync(path.join(workspace.dir, "cache"), { recursive: true, force: true });
          return workspace.restore(tree);
        },
      })),
      "leaves ignored files alone",
    ],
    [
      "never reports tampering",
      withDefect(() => ({ tampering: async () => undefined })),
      "detects every change",
    ],
    [
      "compares mtimes",
      withDefect((workspace) => ({
        tampering: async (seal, paths) => {
          const { mtimeMs } = fs.statSync(path.join(workspace.dir, "plain.txt"));
          return mtimeMs > Date.now() ? { changes: [], diff: "" } : workspace.tampering(seal, paths);
        },
      })),
      "reports no tampering",
    ],
    [
      "rejects all new files",
      withDefect((workspace) => ({
        tampering: (seal, paths) =>
          workspace.tampering(
            seal,
            paths.map((one) => ({ ...one, grows: false })),
          ),
      })),
      "allows new files only where",
    ],
    [
      "protects the whole file instead of one value",
      withDefect((workspace) => {
        const whole = (paths: readonly Protection[]) => paths.map(({ path, grows }) => ({ path, grows }));
        return {
          tampering: (seal, paths) => workspace.tampering(seal, whole(paths)),
          mend: (seal, paths, dir) => workspace.mend(seal, whole(paths), dir),
        };
      }),
      "one value of a JSON file",
    ],
    ["restores nothing", withDefect(() => ({ mend: async () => {} })), "restores them byte for byte"],
    [
      "restores into the wrong folder",
      withDefect((workspace) => ({ mend: (seal, paths) => workspace.mend(seal, paths) })),
      "into a copy",
    ],
    [
      "gives an empty diff",
      withDefect((workspace) => ({
        tampering: async (seal, paths) => {
          const found = await workspace.tampering(seal, paths);
          return found && { ...found, diff: "" };
        },
      })),
      "shows a diff of changes",
    ],
  ];

  it.each(defects)("detects a workspace that %s", async (_, make, title) => {
    expect(await failingTests((api) => workspaceConformance("bad", make, api), title)).toMatch(title);
  });
});
