// Detects that an agent says it is done, and whether the gates contradict it. A claim is never a verdict.

import type { Iteration, Run } from "#spec/run";
import type { GateSpec, Task } from "#spec/task";
import { linesOf, statementsOf, withoutCode } from "#text/statements";
import { DEFAULT_SIGNALS, findSignal, withPromise } from "./signals.ts";
import { holds, redGates, verdictOf, wantedGates } from "./success.ts";

/** Agents say it at the end; earlier lines tell what they did. */
const LAST_LINES = 3;

/** Sentences with which agents end their work. Each must be the whole sentence. */
const CLOSING = [
  "(?:i am |i['’]m |we are )?(?:now )?(?:all )?(?:done|finished)(?: now)?",
  "(?:the |this )?(?:task|work|job|fix|implementation) (?:is |has been )?(?:now )?(?:done|completed?|finished)",
  "(?:the |this )?(?:bug|issue|problem) (?:is |has been )?(?:now )?(?:fixed|solved|resolved)",
  "everything (?:is )?(?:now )?(?:done|complete|works|passes|passing|fixed)(?: now)?",
  "all (?:the )?(?:tests|gates|checks) (?:are )?(?:now )?(?:pass|passed|passing|green)(?: now)?",
];
const CLOSES = new RegExp(`^(?:${CLOSING.join("|")})$`, "i");
const SENTENCE_CHARS = 80;

/** The sentence among the last lines of the message that says the work is done, unless it repeats the prompt. */
function closingSentence(message: string, prompt: string): string | undefined {
  const isEcho = (text: string) => linesOf(prompt).some((line) => line.trim() === text);
  const spoken = statementsOf(withoutCode(linesOf(message))).slice(-LAST_LINES);
  return spoken
    .filter(({ embedded, line }) => !embedded && !isEcho(line))
    .flatMap(({ line }) => line.split(/(?<=[.!])\s+/))
    .map((sentence) => sentence.replace(/^[\s*_#✅✔-]+|[\s*_.!✅✔]+$/gu, ""))
    .findLast((sentence) => sentence.length <= SENTENCE_CHARS && CLOSES.test(sentence));
}

/** Drivers keep no more of a message; a longer one is searched at its end. */
const MESSAGE_CHARS = 20_000;
const endOf = (message: string): string => message.slice(-MESSAGE_CHARS);

// Every decision asks about all iterations so far, and messages are long.
const found = new WeakMap<object, Map<string, string | undefined>>();

function cached(key: object, name: string, find: () => string | undefined): string | undefined {
  const known = found.get(key) ?? new Map<string, string | undefined>();
  found.set(key, known);
  if (!known.has(name)) known.set(name, find());
  return known.get(name);
}

/** The completion signal of this iteration. An agent that failed has not finished, whatever it printed. */
export function signalOf({ agent, prompt }: Iteration, signals: readonly string[]): string | undefined {
  if (!agent?.ok) return undefined;
  return cached(agent, JSON.stringify([prompt, signals]), () =>
    findSignal(endOf(agent.message), prompt, signals),
  );
}

/** The signals that the task's strategy listens for. */
function signalsOf({ strategy, promise }: Task): readonly string[] {
  const { signals, promise: own } = strategy as { signals?: readonly string[]; promise?: string };
  return withPromise(signals ?? DEFAULT_SIGNALS, own ?? promise);
}

/** The task says that the agent's word ends the run, also against red gates. */
function trustsClaims({ strategy }: Task): boolean {
  const { trustSignal, completionCriteria = [] } = strategy as {
    trustSignal?: boolean;
    completionCriteria?: readonly string[];
  };
  return trustSignal === true || completionCriteria.includes("agent-signal");
}

/** The words with which the agent said that it is done, where the gates do not pass. */
export function falseClaim(run: Run, iteration: Iteration): string | undefined {
  const { agent, prompt, verdicts } = iteration;
  if (!agent?.ok || verdicts.length === 0 || trustsClaims(run.task)) return undefined;
  if (wantedGates(run).length === 0 || holds(run, iteration)) return undefined;
  return (
    signalOf(iteration, signalsOf(run.task)) ??
    cached(agent, `closing ${prompt}`, () => closingSentence(endOf(agent.message), prompt))
  );
}

/** The red gates with their status, "tests (failed), lint (errored)". */
export function describeRed(run: Run, iteration: Iteration, shown: (gate: GateSpec) => boolean): string {
  return redGates(run, iteration)
    .filter((name) => run.task.gates.some((gate) => gate.name === name && shown(gate)))
    .map((name) => `${name} (${verdictOf(iteration, name)?.status ?? "not judged"})`)
    .join(", ");
}
