// Describes the answer to a command in a sentence.
import type { Delivered } from "#spec/workspace";
import { whereDelivered } from "#text/where-delivered";
import { iterationName } from "#text/words";

/** The answers of all routes in one type. */
export interface Answer {
  readonly heard?: boolean;
  readonly iteration?: number;
  readonly saved?: string;
  readonly delivered?: Delivered;
}

function describeDelivery(delivered: Delivered): string {
  const { type, problem } = delivered;
  if (problem !== undefined) return `Not delivered as asked: ${problem}`;
  const where = whereDelivered(delivered);
  return `Delivered as ${type}${where === "" ? "" : `: ${where}`}.`;
}

/** `done` is the sentence for a plain success. */
export function answerWords(answer: Answer | undefined, done: string): string {
  if (answer?.delivered) return describeDelivery(answer.delivered);
  if (answer?.saved !== undefined)
    return `${done} They are those of ${iterationName(answer.iteration ?? 0)}. The files before are saved as ${answer.saved.slice(0, 12)}.`;
  if (answer?.heard === false)
    return `${done} No process drives this run: it takes effect when you resume the run.`;
  return done;
}
