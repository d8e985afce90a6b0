// Finds the agent's completion signal: a line or promise tag that stands alone in its own final message.
import { linesOf, promiseIn, type Statement, statementsOf, withoutCode } from "#text/statements";

/** Matches a promise tag with any words. */
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

/** Replaces the tag with any words by a tag with exactly these words. */
export function withPromise(signals: readonly string[], promise: string | undefined): readonly string[] {
  if (promise === undefined) return signals;
  return [...signals.filter((signal) => signal !== ANY_PROMISE), `<promise>${promise}</promise>`];
}

/**
 * Returns the signal in the message, if any. A line that is also in the prompt is an echo; code blocks and lines behind
 * `>`, `|` or backticks are quotations. Of several tags the last counts.
 */
export function findSignal(message: string, prompt: string, signals: readonly string[]): string | undefined {
  const promptLines = linesOf(prompt);
  const promptStatements = new Set(
    [...statementsOf(promptLines), ...statementsOf(withoutCode(promptLines))].map(statementKey),
  );
  const ownStatements = statementsOf(withoutCode(linesOf(message))).filter(
    (statement) => !statement.embedded && !promptStatements.has(statementKey(statement)),
  );
  return findWord(ownStatements, signals) ?? findTag(ownStatements, signals);
}

function statementKey({ text, promise }: Statement): string {
  return promise === undefined ? text : tag(promise).toLowerCase();
}

function findWord(statements: readonly Statement[], signals: readonly string[]): string | undefined {
  const words = signals.map((signal) => signal.trim()).filter((word) => word !== "" && !promiseIn(word));
  return words.find((word) => statements.some(({ line, text }) => line === word || text === word));
}

function findTag(statements: readonly Statement[], signals: readonly string[]): string | undefined {
  const promiseText = statements.findLast(({ promise }) => promise !== undefined)?.promise;
  if (promiseText === undefined) return undefined;
  const isAccepted = signals.some(
    (signal) =>
      signal === ANY_PROMISE || promiseIn(signal.trim())?.toLowerCase() === promiseText.toLowerCase(),
  );
  return isAccepted ? tag(promiseText) : undefined;
}

function tag(words: string): string {
  return `<promise>${words}</promise>`;
}
