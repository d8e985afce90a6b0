// The last iterations as JSON lines: for agents, templates and programs that would rather read data than text.
import type { Memory } from "#spec/memory";
import type { Iteration, Judged, Run } from "#spec/run";
import { oneLine } from "#spec/text";
import { filesChanged, judgedFor, lastIterations } from "./facts.ts";
import { firstError } from "./first-error.ts";

export interface StructuredOptions {
  /** How many iterations are kept. */
  readonly entries?: number;
  /** How many characters the line of each of them may have. */
  readonly chars?: number;
}

/** How much is told of an iteration: `list` bounds each list, `text` each text. */
interface Detail {
  readonly list: number;
  readonly text: number;
}

/** The first of these that fits is taken: half a line would not be JSON. */
const DETAILS: readonly Detail[] = [
  { list: 20, text: 300 },
  { list: 10, text: 150 },
  { list: 5, text: 80 },
  { list: 2, text: 40 },
  { list: 0, text: 20 },
];

/** The list, and under another key how much longer it is. */
function bounded<T>(key: string, items: readonly T[], more: number): object {
  return { [key]: items, ...(more > 0 && { [`${key}LeftOut`]: more }) };
}

function gateLine({ gate, verdict }: Judged, dir: string, { list, text }: Detail): object {
  const line = { gate: oneLine(gate, 60), status: verdict.status, score: verdict.score };
  if (verdict.status === "passed") return line;
  const tests = verdict.failures.flatMap(({ id }) => id ?? []);
  const error = firstError(verdict, dir);
  return {
    ...line,
    ...(tests.length > 0 &&
      bounded(
        "failing",
        tests.slice(0, list).map((id) => oneLine(id, text)),
        tests.length - list,
      )),
    ...(error && {
      error: { message: oneLine(error.message, text), ...(error.at && { at: oneLine(error.at, text) }) },
    }),
  };
}

function lineOf(run: Run, iteration: Iteration, detail: Detail): string {
  const { list, text } = detail;
  const { names, more } = filesChanged(iteration, list, text);
  const judged = judgedFor(run, iteration);
  const { agent } = iteration;
  return JSON.stringify({
    iteration: iteration.number,
    ...bounded("files", names, more),
    ...(agent &&
      !agent.ok && { agent: { failure: agent.failure, reason: oneLine(agent.reason ?? "", text) } }),
    ...bounded(
      "gates",
      judged.slice(0, list).map((one) => gateLine(one, run.dir, detail)),
      judged.length - list,
    ),
  });
}

function boundedLine(run: Run, iteration: Iteration, chars: number): string {
  for (const detail of DETAILS) {
    const line = lineOf(run, iteration, detail);
    if (line.length <= chars) return line;
  }
  return JSON.stringify({ iteration: iteration.number });
}

export function structured({ entries = 5, chars = 1_000 }: StructuredOptions = {}): Memory {
  return {
    recall: (run) =>
      lastIterations(run, entries)
        .map((iteration) => boundedLine(run, iteration, chars))
        .join("\n"),
  };
}
