// In-memory ports: an agent that finishes at once, gates that pass, a workspace that is one tree id.

import type { EventBody } from "#spec/event";
import type { Gate } from "#spec/gate";
import type { Ports } from "#spec/ports";
import type { Run } from "#spec/run";
import type { Workspace } from "#spec/workspace";
import { exampleVerdict } from "#testing/run";
import { quickClock } from "./quick-clock.ts";
import { agentResult, snapshotOf } from "./run-so-far.ts";

/** A workspace whose snapshot is `tree` until another tree is restored. */
export function plainWorkspace(tree = "tree-on-disk"): Workspace {
  let now = tree;
  return {
    dir: "/project",
    snapshot: async () => snapshotOf(now),
    diff: async () => "",
    restore: async (to) => {
      const before = snapshotOf(now);
      now = to;
      return before;
    },
    seal: async () => "seal",
    tampering: async () => undefined,
    mend: async () => {},
    keepIndex: async () => undefined,
    unstage: async () => ({ changes: [] }),
    findOutputs: async () => ({ paths: [], trees: {} }),
    reclaimOutputs: async () => [],
    checkJudged: async () => ({ changes: [], outputs: [], isToBeMended: false }),
    copy: async () => {},
    deliver: async ({ how, tree: delivered }) => ({ type: how.type, tree: delivered }),
    close: async () => {},
  };
}

const passes = (name: string): Gate => ({ name, judge: async () => exampleVerdict({ status: "passed" }) });

/** Ports with a fake clock that continues from the run's last event. Sleeping takes no time. */
export function plainPorts(run: Run, parts: Partial<Ports> = {}): Ports {
  const clock = quickClock(run.updatedAt);
  return {
    agents: run.task.agents.map((_, at) => ({
      name: `agent ${at}`,
      run: async function* () {
        yield { type: "finished", result: agentResult() };
      },
    })),
    gates: new Map(run.task.gates.map(({ name }) => [name, passes(name)])),
    strategy: () => ({ continue: true, reason: "the strategy goes on", confidence: 1 }),
    memory: { recall: () => "" },
    workspace: plainWorkspace(run.tree),
    host: "this-host",
    inbox: async () => [],
    now: clock.now,
    elapsed: () => run.elapsedMs + clock.monotonic(),
    sleep: clock.sleep,
    filesFor: (iteration, part) => `/state/${iteration}/${part}`,
    writeForAgent: (iteration) => `/state/${iteration}/failures.txt`,
    variables: async () => ({}),
    redact: (body) => body,
    onActivity: () => {},
    ...parts,
  };
}

export async function eventsFrom(source: AsyncIterable<EventBody>): Promise<EventBody[]> {
  const events: EventBody[] = [];
  for await (const event of source) events.push(event);
  return events;
}
