// The first step of a resumed run: its events and the restored files for each state of interruption.
import { describe, expect, it } from "vitest";
import { recover } from "#loop/recover";
import type { Isolation } from "#spec/agent";
import type { EventBody } from "#spec/event";
import type { Ports } from "#spec/ports";
import type { Task } from "#spec/task";
import { eventsFrom, plainPorts, plainWorkspace } from "../../support/plain-ports.ts";
import {
  began,
  captured,
  decided,
  ended,
  judged,
  runAfter,
  snapshotOf,
  told,
  worked,
} from "../../support/run-so-far.ts";

const { signal } = new AbortController();
const RESUMED = { type: "run.resumed", host: "this-host" };
const base = [captured(0), judged(0, "failed")];
const cutOff = [...base, began(1)];
const judgedFiles = [...cutOff, worked(1), captured(1), judged(1, "failed")];
const passing = [...cutOff, worked(1), captured(1), judged(1, "passed")];
const away: EventBody = { type: "agent.away", iteration: 1, reason: "works in a session of its own" };

const interrupted = {
  type: "iteration.interrupted",
  iteration: 1,
  tree: "half-done",
  reason: "the run was cut off while the agent worked",
};
const restored = (iteration: number, tree: string, saved: string) => ({
  type: "workspace.restored",
  iteration,
  tree,
  saved,
});
const capturedAnew = (iteration: number, tree: string) => ({
  type: "snapshot.taken",
  iteration,
  snapshot: snapshotOf(tree),
});

interface Row {
  readonly title: string;
  readonly so: readonly EventBody[];
  /** The tree of the files when the run is resumed. */
  readonly found: string;
  readonly onResume: Task["onResume"];
  /** The events after run.resumed. */
  readonly events: readonly object[];
  /** The tree of the files afterwards; `found` by default. */
  readonly left?: string;
}

const ROWS: readonly Row[] = [
  {
    title: "restores the files after an interrupted agent and records the saved tree",
    so: cutOff,
    found: "half-done",
    onResume: "restore",
    events: [interrupted, restored(0, "tree-0", "half-done")],
    left: "tree-0",
  },
  {
    title: "keeps the files of an interrupted agent when the task says so",
    so: cutOff,
    found: "half-done",
    onResume: "keep",
    events: [interrupted],
  },
  {
    title: "restores nothing when the agent had not changed anything yet",
    so: cutOff,
    found: "tree-0",
    onResume: "restore",
    events: [{ ...interrupted, tree: "tree-0" }],
  },
  {
    title: "restores nothing when the iteration's starting tree is unknown",
    so: [began(1)],
    found: "half-done",
    onResume: "restore",
    events: [interrupted],
  },
  {
    title: "does not report an interruption twice",
    so: [...cutOff, { ...interrupted, type: "iteration.interrupted" }, ended("stopped")],
    found: "half-done",
    onResume: "restore",
    events: [restored(0, "tree-0", "half-done")],
    left: "tree-0",
  },
  {
    title: "reports files that changed after the end of the run",
    so: [...cutOff, { ...interrupted, type: "iteration.interrupted" }, ended("stopped")],
    found: "changed-later",
    onResume: "keep",
    events: [{ ...interrupted, tree: "changed-later" }],
  },
  {
    title: "leaves the files of a finished agent without a snapshot unchanged",
    so: [...cutOff, worked(1)],
    found: "half-done",
    onResume: "restore",
    events: [],
  },
  {
    title: "leaves unchanged judged files alone",
    so: judgedFiles,
    found: "tree-1",
    onResume: "restore",
    events: [],
  },
  {
    title: "restores judged files that have changed since",
    so: judgedFiles,
    found: "edited",
    onResume: "restore",
    events: [restored(1, "tree-1", "edited")],
    left: "tree-1",
  },
  {
    title: "takes a new snapshot of changed files with onResume keep, so that the gates judge again",
    so: judgedFiles,
    found: "edited",
    onResume: "keep",
    events: [capturedAnew(1, "edited")],
  },
  {
    title: "restores a baseline whose files have changed since",
    so: base,
    found: "edited",
    onResume: "restore",
    events: [restored(0, "tree-0", "edited")],
    left: "tree-0",
  },
  {
    title: "takes a new snapshot of a changed baseline with onResume keep",
    so: base,
    found: "edited",
    onResume: "keep",
    events: [capturedAnew(0, "edited")],
  },
  {
    title: "leaves the files of a run without a snapshot alone",
    so: [],
    found: "edited",
    onResume: "restore",
    events: [],
  },
  {
    title: "leaves files that changed after a decision to continue alone",
    so: [...judgedFiles, decided(1)],
    found: "edited",
    onResume: "restore",
    events: [],
  },
  {
    title: "restores the files that passed, even after the decision",
    so: [...passing, decided(1, { continue: false })],
    found: "edited",
    onResume: "restore",
    events: [restored(1, "tree-1", "edited")],
    left: "tree-1",
  },
  {
    title: "takes a new snapshot of files that changed after they passed with onResume keep",
    so: [...passing, decided(1, { continue: false })],
    found: "edited",
    onResume: "keep",
    events: [capturedAnew(1, "edited")],
  },
  {
    title: "keeps the files of an agent that works in its own session",
    so: [...cutOff, away],
    found: "half-done",
    onResume: "restore",
    events: [],
  },
  {
    title: "restores the iteration's files when a person has replaced its decision",
    so: [...judgedFiles, decided(1), told({ type: "decide", choice: "accept" })],
    found: "edited",
    onResume: "restore",
    events: [restored(1, "tree-1", "edited")],
    left: "tree-1",
  },
];

describe("recovery", () => {
  it.each(ROWS)("$title", async ({ so, found, onResume, events, left = found }) => {
    const run = runAfter(so, { onResume });
    const workspace = plainWorkspace(found);
    expect(await eventsFrom(recover({ run, ports: plainPorts(run, { workspace }), signal }))).toEqual([
      RESUMED,
      ...events,
    ]);
    expect((await workspace.snapshot()).tree).toBe(left);
  });

  const isolation: Isolation = {
    tier: "strict",
    by: "bwrap",
    network: false,
    hidden: ["/secret"],
    writable: ["/cache"],
  };
  it.each<[string, Partial<Ports>, object]>([
    ["records the host", { host: "other-host" }, { host: "other-host" }],
    ["records the new limits", { limits: { iterations: 30 } }, { limits: { iterations: 30 } }],
    [
      "records the isolation without the folders",
      { isolation },
      { isolation: { tier: "strict", by: "bwrap" } },
    ],
    [
      "records that an errored baseline is allowed",
      { allowErroredBaseline: true },
      { allowErroredBaseline: true },
    ],
  ])("%s", async (_, parts, expected) => {
    const run = runAfter([]);
    const [first] = await eventsFrom(recover({ run, ports: plainPorts(run, parts), signal }));
    expect(first).toEqual({ ...RESUMED, ...expected });
  });

  it("reports changed protected files before it takes a snapshot of kept files", async () => {
    const protect: NonNullable<Task["protect"]> = {
      paths: [{ path: "*.test.ts", grows: false }],
      action: "restore",
    };
    const sealed: EventBody = {
      type: "snapshot.taken",
      iteration: 0,
      snapshot: snapshotOf("tree-0"),
      seal: "seal",
    };
    const run = runAfter([sealed, judged(0, "failed"), ...judgedFiles.slice(2)], {
      onResume: "keep",
      protect,
    });
    const change = { path: "sum.test.ts", kind: "changed" as const };
    const workspace = {
      ...plainWorkspace("edited"),
      tampering: async () => ({ changes: [change], diff: "" }),
    };
    expect(await eventsFrom(recover({ run, ports: plainPorts(run, { workspace }), signal }))).toMatchObject([
      RESUMED,
      { type: "protected.changed", iteration: 1, changes: [change], tree: "edited" },
      { type: "snapshot.taken", iteration: 1 },
    ]);
  });
});
