// Wraps the parts of a run so that their processes get the observers' environment variables.

import type { Parts } from "#catalog/parts";
import type { Agent, AgentEvent } from "#spec/agent";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Note } from "#spec/note";
import type { Observer } from "#spec/observer";
import { withVariables } from "#system/variables";

type Within = <T>(work: () => T) => T;

/** Enters the async context for every `next()`: a generator runs in the context of its consumer. */
async function* eachWithin(events: AsyncIterable<AgentEvent>, within: Within): AsyncGenerator<AgentEvent> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await within(() => iterator.next());
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

function asked(memory: Memory, ...[request, signal]: Parameters<NonNullable<Memory["note"]>>): Promise<Note> {
  if (!memory.note) throw new Error("this memory takes no notes");
  return memory.note(request, signal);
}

export function withObserverEnv(parts: Parts, observers: readonly Observer[]): Parts {
  const tellers = observers.flatMap(({ variables }) => variables ?? []);
  if (tellers.length === 0) return parts;
  /** Variables are fixed when the work begins. */
  const here = (): Within => {
    const variables = Object.assign({}, ...tellers.map((teller) => teller()));
    return (work) => withVariables(variables, work);
  };
  // Call methods on the part itself, which may be a class instance that needs `this`.
  const agent = (one: Agent): Agent => ({
    name: one.name,
    ...(one.resumes !== undefined && { resumes: one.resumes }),
    blocker: (dir) => one.blocker?.(dir),
    run: (request, signal) => eachWithin(one.run(request, signal), here()),
  });
  const gate = (one: Gate): Gate => ({
    name: one.name,
    isDeterministic: one.isDeterministic ?? false,
    judge: (request, signal) => here()(() => one.judge(request, signal)),
  });
  const memory = (one: Memory): Memory => ({
    recall: (run) => one.recall(run),
    ...(one.note && { note: (request, signal) => here()(() => asked(one, request, signal)) }),
  });
  return {
    ...parts,
    agents: parts.agents.map(agent),
    gates: new Map([...parts.gates].map(([name, one]) => [name, gate(one)])),
    memory: memory(parts.memory),
  };
}
