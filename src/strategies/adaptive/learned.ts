// What is believed when a run starts: half of what the user's other projects taught, and all that this one did.
import { LESSON_VERSION, type Lesson, type Transition } from "#spec/lesson";
import { PRIOR } from "./features.ts";
import { Learner, type Weights } from "./hazard.ts";

/** How far a new project starts from what others taught. More, and a project unlike them is given up too early to be learned. */
const SHARE = 0.5;
/** What others taught leaves at least this part of the doubt there was. */
const DOUBT = 0.25;
/** Older lessons are of other times. */
const MOST = 10_000;

/** A project, and who works in it. */
export interface Place {
  readonly workspace: string;
  readonly agent: string;
}

function begun(elsewhere: Weights): Weights {
  if (elsewhere.transitions === 0) return PRIOR;
  const mean = PRIOR.mean.map((own, at) => own + SHARE * ((elsewhere.mean[at] ?? own) - own));
  const spread = PRIOR.spread.map((row, at) =>
    row.map((own, column) =>
      at === column ? Math.max(DOUBT * own, elsewhere.spread[at]?.[column] ?? own) : 0,
    ),
  );
  return { mean, spread, transitions: 0 };
}

/**
 * So many of the first lessons are looked at for what other projects taught: all but the last few, in steps that grow with
 * them. A start that moved with every lesson would have to be learned on from anew each time, and be hardly another one.
 */
function settled(count: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, count))) - 3);
  return count - (count % step);
}

type Taught = readonly Transition[];

/** What one place has learned so far. */
class Learned {
  readonly #lessons: Taught[] = [];
  readonly #others = new Learner(PRIOR);
  #own = new Learner(PRIOR);
  /** Lessons that were looked at: of all, for what others taught; and of its own. */
  #looked = { all: 0, own: 0 };

  tell(lesson: Taught): void {
    this.#lessons.push(lesson);
  }

  weights(all: readonly Told[]): Weights {
    const upTo = settled(all.length);
    if (upTo > this.#looked.all) {
      for (let at = this.#looked.all; at < upTo; at++) {
        const told = all[at];
        if (told && told.by !== this) this.#others.learn(told.lesson);
      }
      this.#own = new Learner(begun(this.#others.weights()));
      this.#looked = { all: upTo, own: 0 };
    }
    for (const lesson of this.#lessons.slice(this.#looked.own)) this.#own.learn(lesson);
    this.#looked.own = this.#lessons.length;
    return this.#own.weights();
  }
}

interface Told {
  readonly by: Learned;
  readonly lesson: Taught;
}

/** Lessons as they come in, one after the other, and what is believed at any time in between. */
export class Lessons {
  readonly #told: Told[] = [];
  readonly #places = new Map<string, Learned>();

  #at({ workspace, agent }: Place): Learned {
    const place = JSON.stringify([workspace, agent]);
    const found = this.#places.get(place) ?? new Learned();
    this.#places.set(place, found);
    return found;
  }

  tell(place: Place, lesson: Taught): void {
    const by = this.#at(place);
    by.tell(lesson);
    this.#told.push({ by, lesson });
  }

  weightsFor(place: Place): Weights {
    return this.#at(place).weights(this.#told);
  }
}

export function weightsFor(lessons: readonly Lesson[], place: Place): Weights {
  const all = new Lessons();
  for (const lesson of lessons.filter(({ v }) => v === LESSON_VERSION).slice(-MOST))
    all.tell(lesson, lesson.transitions);
  return all.weightsFor(place);
}
