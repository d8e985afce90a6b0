// The parts of a run, whose processes are told what the observers of the run want them to know.

import type { Parts } from "#catalog/parts";
import type { Agent, AgentEvent } from "#spec/agent";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Note } from "#spec/note";
import type { Observer } from "#spec/observer";
import { withVariables } from "#system/variables";

type Within = <T>(work: () => T) => T;

/** A generator works in the context of whoever asks it for more. */
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
  /** What there is to know is fixed when the work begins. */
  const here = (): Within => {
    const variables = Object.assign({}, ...tellers.map((teller) => teller()));
    return (work) => withVariables(variables, work);
  };
  // Whatever a part is, an object or of a class, it is called as itself.
  const agent = (one: Agent): Agent => ({
    name: one.name,
    ...(one.resumes !== undefined && { resumes: one.resumes }),
    blocker: (dir) => one.blocker?.(dir),
    run: (request, signal) => eachWithin(one.run(request, signal), here()),
  });
  const gate = (one: Gate): Gate => ({
    name: one.name,
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
