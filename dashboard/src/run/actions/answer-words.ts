// What came of telling a run something, in a sentence for people.
import type { Delivered } from "#spec/workspace";

/** What the routes answer, all of them together. */
export interface Answer {
  readonly heard?: boolean;
  readonly iteration?: number;
  readonly saved?: string;
  readonly delivered?: Delivered;
}

function deliveredWords({ type, branch, commit, file, url, problem }: Delivered): string {
  if (problem !== undefined) return `Not delivered as asked: ${problem}`;
  const where = url ?? file ?? branch ?? commit?.slice(0, 12);
  return `Delivered as ${type}${where === undefined ? "" : `: ${where}`}.`;
}

/** `done` is what is said when everything went as it should. */
export function answerWords(answer: Answer | undefined, done: string): string {
  if (answer?.delivered) return deliveredWords(answer.delivered);
  if (answer?.saved !== undefined)
    return `${done} They are those of iteration ${answer.iteration}; what was there is kept as ${answer.saved.slice(0, 12)}.`;
  if (answer?.heard === false) return `${done} Nobody drives this run now: resume it, and it is heard.`;
  return done;
}
