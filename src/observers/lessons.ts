// Learning when to stop: what a run that is over taught, and what is known when one starts.
import { hybridNumbers } from "#rules/iteration-limit";
import { agentOf, projectOf } from "#rules/project";
import { LESSON_VERSION, type Lesson } from "#spec/lesson";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import type { App } from "#state/context";
import { transitionsOf } from "#strategies/adaptive/adaptive";
import type { Weights } from "#strategies/adaptive/hazard";
import { weightsFor } from "#strategies/adaptive/learned";
import { MIN_TRANSITIONS } from "#strategies/patience";

/** Undefined when the run taught nothing: an agent that cannot work, or one iteration alone. */
function lessonOf(run: Run): Lesson | undefined {
  const transitions = run.ended?.outcome === "blocked" ? [] : transitionsOf(run);
  if (transitions.length === 0) return undefined;
  const { id, task, submission, updatedAt: at } = run;
  return {
    run: id,
    v: LESSON_VERSION,
    workspace: submission?.project ?? projectOf(task.workspace),
    agent: agentOf(task),
    at,
    transitions,
  };
}

export async function keepLesson({ store }: App, run: Run): Promise<void> {
  const lesson = lessonOf(run);
  if (lesson) await store.learn(lesson);
}

const rounded = (value: number) => Number(value.toPrecision(7));

/** What is known now, frozen into the task: the run decides by that, however often it is resumed or replayed. */
export async function withWeights({ store }: App, task: Task): Promise<Task> {
  const { type } = task.strategy;
  const isHybrid = type === "hybrid" && hybridNumbers(task.strategy) === undefined;
  if ((type !== "adaptive" && !isHybrid) || task.strategy.weights !== undefined) return task;
  const learner = { workspace: projectOf(task.workspace), agent: agentOf(task) };
  const { mean, spread, transitions } = weightsFor(await store.lessons(), learner);
  // Below that `hybrid` does not ask its model, and the record need not carry it.
  if (isHybrid && transitions < MIN_TRANSITIONS) return task;
  const weights: Weights = {
    mean: mean.map(rounded),
    spread: spread.map((row) => row.map(rounded)),
    transitions,
  };
  return { ...task, strategy: { ...task.strategy, weights } };
}
