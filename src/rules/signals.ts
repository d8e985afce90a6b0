// Finds the agent's claim to be finished: a line or promise tag that stands alone in its own final message.
import { linesOf, promiseIn, type Statement, statementsOf, withoutCode } from "#text/statements";

/** Stands for a promise tag with any words in it. */
const ANY_PROMISE = "<promise>…</promise>";

export const DEFAULT_SIGNALS: readonly string[] = [
  "TASK_COMPLETE",
  "TASK_COMPLETED",
  "DONE",
  "[COMPLETE]",
  "[TASK COMPLETE]",
  "[DONE]",
  ANY_PROMISE,
];

/** The signals, with a tag of exactly these words in place of a tag of any words. */
export function withPromise(signals: readonly string[], promise: string | undefined): readonly string[] {
  if (promise === undefined) return signals;
  return [...signals.filter((signal) => signal !== ANY_PROMISE), `<promise>${promise}</promise>`];
}

/**
 * The signal that the message gives, if it gives one. A line that also stands in the prompt is the prompt quoted
 * back; code blocks and lines behind `>`, `|` or backticks are quotations too. Of several tags the last counts.
 */
export function findSignal(message: string, prompt: string, signals: readonly string[]): string | undefined {
  const asked = linesOf(prompt);
  const echoed = new Set([...statementsOf(asked), ...statementsOf(withoutCode(asked))].map(identity));
  const own = statementsOf(withoutCode(linesOf(message))).filter(
    (statement) => !statement.embedded && !echoed.has(identity(statement)),
  );
  return wordIn(own, signals) ?? tagIn(own, signals);
}

function identity({ text, promise }: Statement): string {
  return promise === undefined ? text : tag(promise).toLowerCase();
}

function wordIn(statements: readonly Statement[], signals: readonly string[]): string | undefined {
  const words = signals.map((signal) => signal.trim()).filter((word) => word !== "" && !promiseIn(word));
  return words.find((word) => statements.some(({ line, text }) => line === word || text === word));
}

function tagIn(statements: readonly Statement[], signals: readonly string[]): string | undefined {
  const given = statements.findLast(({ promise }) => promise !== undefined)?.promise;
  if (given === undefined) return undefined;
  const kept = signals.some(
    (signal) => signal === ANY_PROMISE || promiseIn(signal.trim())?.toLowerCase() === given.toLowerCase(),
  );
  return kept ? tag(given) : undefined;
}

function tag(words: string): string {
  return `<promise>${words}</promise>`;
}
