// Stores the lesson of an ended run, and adds the learned weights to the task of a new one.
import { agentOf, projectOf } from "#rules/project";
import { LESSON_VERSION, type Lesson } from "#spec/lesson";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import type { Context } from "#state/context";
import { transitionsOf } from "#strategies/adaptive/adaptive";
import type { Weights } from "#strategies/adaptive/hazard";
import { weightsFor } from "#strategies/adaptive/learned";

/** Returns undefined when a run taught nothing: the agent was blocked, or there was only one iteration. */
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

export async function saveLesson({ store }: Context, run: Run): Promise<void> {
  const lesson = lessonOf(run);
  if (lesson) await store.learn(lesson);
}

const round = (value: number) => Number(value.toPrecision(7));

/**
 * Freezes the current weights into the task, so that every resume or replay of the run decides the same way.
 * `learnsFrom` is the number of training examples from which the strategy uses them; undefined when it never does.
 */
export async function withWeights(
  { store }: Context,
  task: Task,
  learnsFrom: number | undefined,
): Promise<Task> {
  if (learnsFrom === undefined || task.strategy.weights !== undefined) return task;
  const learner = { workspace: projectOf(task.workspace), agent: agentOf(task) };
  const { mean, spread, transitions } = weightsFor(await store.lessons(), learner);
  if (transitions < learnsFrom) return task;
  const weights: Weights = {
    mean: mean.map(round),
    spread: spread.map((row) => row.map(round)),
    transitions,
  };
  return { ...task, strategy: { ...task.strategy, weights } };
}
