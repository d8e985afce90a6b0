// Learned weights at the start of a run: the prior moves halfway to the user's other projects, then learns all lessons of this project.
import { LESSON_VERSION, type Lesson, type Transition } from "#spec/lesson";
import { PRIOR } from "./features.ts";
import { Learner, type Weights } from "./hazard.ts";

/** Share of the other projects' weights in a new project's start. With more, an unlike project would be given up too early to learn from. */
const SHARE = 0.5;
/** Minimum share of the prior variance that remains after learning from other projects. */
const MIN_VARIANCE_SHARE = 0.25;
/** Only the newest lessons count. */
const MAX_LESSONS = 10_000;

/** A project and the agent that works in it. */
export interface Place {
  readonly workspace: string;
  readonly agent: string;
}

function startFrom(others: Weights): Weights {
  if (others.transitions === 0) return PRIOR;
  const mean = PRIOR.mean.map((own, at) => own + SHARE * ((others.mean[at] ?? own) - own));
  const spread = PRIOR.spread.map((row, at) =>
    row.map((own, column) =>
      at === column ? Math.max(MIN_VARIANCE_SHARE * own, others.spread[at]?.[column] ?? own) : 0,
    ),
  );
  return { mean, spread, transitions: 0 };
}

/**
 * Number of the oldest lessons that count for other projects: all but the last few, in steps that grow with the total. A
 * start that changed with every lesson would force a new training pass each time, for almost the same result.
 */
function roundDown(count: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, count))) - 3);
  return count - (count % step);
}

type LessonData = readonly Transition[];

/** Weights of one place, updated incrementally. */
class PlaceModel {
  readonly #lessons: LessonData[] = [];
  readonly #others = new Learner(PRIOR);
  #own = new Learner(PRIOR);
  /** Number of lessons already learned: of all places, and of its own. */
  #learned = { all: 0, own: 0 };

  tell(lesson: LessonData): void {
    this.#lessons.push(lesson);
  }

  weights(all: readonly LessonEntry[]): Weights {
    const limit = roundDown(all.length);
    if (limit > this.#learned.all) {
      for (let at = this.#learned.all; at < limit; at++) {
        const entry = all[at];
        if (entry && entry.by !== this) this.#others.learn(entry.lesson);
      }
      this.#own = new Learner(startFrom(this.#others.weights()));
      this.#learned = { all: limit, own: 0 };
    }
    for (const lesson of this.#lessons.slice(this.#learned.own)) this.#own.learn(lesson);
    this.#learned.own = this.#lessons.length;
    return this.#own.weights();
  }
}

interface LessonEntry {
  readonly by: PlaceModel;
  readonly lesson: LessonData;
}

/** Collects lessons in order and gives the weights of a place at any time. */
export class Lessons {
  readonly #entries: LessonEntry[] = [];
  readonly #places = new Map<string, PlaceModel>();

  #at({ workspace, agent }: Place): PlaceModel {
    const place = JSON.stringify([workspace, agent]);
    const model = this.#places.get(place) ?? new PlaceModel();
    this.#places.set(place, model);
    return model;
  }

  tell(place: Place, lesson: LessonData): void {
    const by = this.#at(place);
    by.tell(lesson);
    this.#entries.push({ by, lesson });
  }

  weightsFor(place: Place): Weights {
    return this.#at(place).weights(this.#entries);
  }
}

export function weightsFor(lessons: readonly Lesson[], place: Place): Weights {
  const all = new Lessons();
  for (const lesson of lessons.filter(({ v }) => v === LESSON_VERSION).slice(-MAX_LESSONS))
    all.tell(lesson, lesson.transitions);
  return all.weightsFor(place);
}
