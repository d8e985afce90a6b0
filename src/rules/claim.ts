// Detects an agent's claim to be done, and whether the gates contradict it. A claim is never a verdict.

import type { Iteration, Run } from "#spec/run";
import type { GateSpec, Task } from "#spec/task";
import { linesOf, statementsOf, withoutCode } from "#text/statements";
import { DEFAULT_SIGNALS, findSignal, withPromise } from "./signals.ts";
import { isSuccess, redGates, verdictOf, wantedGates } from "./success.ts";

/** Only the last lines count: agents claim success at the end; earlier lines tell what they did. */
const LAST_LINES = 3;

/** Closing sentences of agents. Each must be the whole sentence. */
const CLOSING = [
  "(?:i am |i['’]m |we are )?(?:now )?(?:all )?(?:done|finished)(?: now)?",
  "(?:the |this )?(?:task|work|job|fix|implementation) (?:is |has been )?(?:now )?(?:done|completed?|finished)",
  "(?:the |this )?(?:bug|issue|problem) (?:is |has been )?(?:now )?(?:fixed|solved|resolved)",
  "everything (?:is )?(?:now )?(?:done|complete|works|passes|passing|fixed)(?: now)?",
  "all (?:the )?(?:tests|gates|checks) (?:are )?(?:now )?(?:pass|passed|passing|green)(?: now)?",
];
const CLOSING_SENTENCE = new RegExp(`^(?:${CLOSING.join("|")})$`, "i");
const SENTENCE_CHARS = 80;

/** Finds the closing sentence among the last lines of the message, unless it repeats the prompt. */
function closingSentence(message: string, prompt: string): string | undefined {
  const isEcho = (text: string) => linesOf(prompt).some((line) => line.trim() === text);
  const statements = statementsOf(withoutCode(linesOf(message))).slice(-LAST_LINES);
  return statements
    .filter(({ embedded, line }) => !embedded && !isEcho(line))
    .flatMap(({ line }) => line.split(/(?<=[.!])\s+/))
    .map((sentence) => sentence.replace(/^[\s*_#✅✔-]+|[\s*_.!✅✔]+$/gu, ""))
    .findLast((sentence) => sentence.length <= SENTENCE_CHARS && CLOSING_SENTENCE.test(sentence));
}

/** Drivers keep no more of a message; a longer one is searched only at its end. */
const MESSAGE_CHARS = 20_000;
const endOf = (message: string): string => message.slice(-MESSAGE_CHARS);

// Cache: every decision checks all iterations so far, and messages are long.
const cache = new WeakMap<object, Map<string, string | undefined>>();

function cached(key: object, name: string, find: () => string | undefined): string | undefined {
  const known = cache.get(key) ?? new Map<string, string | undefined>();
  cache.set(key, known);
  if (!known.has(name)) known.set(name, find());
  return known.get(name);
}

/** The completion signal of this iteration. A failed agent has not finished, whatever it printed. */
export function signalOf({ agent, prompt }: Iteration, signals: readonly string[]): string | undefined {
  if (!agent?.ok) return undefined;
  return cached(agent, JSON.stringify([prompt, signals]), () =>
    findSignal(endOf(agent.message), prompt, signals),
  );
}

/** The signals that the task's strategy accepts. */
function signalsOf({ strategy, promise }: Task): readonly string[] {
  const { signals, promise: ownPromise } = strategy as { signals?: readonly string[]; promise?: string };
  return withPromise(signals ?? DEFAULT_SIGNALS, ownPromise ?? promise);
}

/** Whether the agent's claim ends the run, even with failing gates. */
function trustsClaims({ strategy }: Task): boolean {
  const { trustSignal, completionCriteria = [] } = strategy as {
    trustSignal?: boolean;
    completionCriteria?: readonly string[];
  };
  return trustSignal === true || completionCriteria.includes("agent-signal");
}

/** The agent's claim to be done, if the gates do not pass. */
export function falseClaim(run: Run, iteration: Iteration): string | undefined {
  const { agent, prompt, verdicts } = iteration;
  if (!agent?.ok || verdicts.length === 0 || trustsClaims(run.task)) return undefined;
  if (wantedGates(run).length === 0 || isSuccess(run, iteration)) return undefined;
  return (
    signalOf(iteration, signalsOf(run.task)) ??
    cached(agent, `closing ${prompt}`, () => closingSentence(endOf(agent.message), prompt))
  );
}

/** Lists the failing gates with their status: "tests (failed), lint (errored)". */
export function describeRed(run: Run, iteration: Iteration, isShown: (gate: GateSpec) => boolean): string {
  return redGates(run, iteration)
    .filter((name) => run.task.gates.some((gate) => gate.name === name && isShown(gate)))
    .map((name) => `${name} (${verdictOf(iteration, name)?.status ?? "not judged"})`)
    .join(", ");
}
