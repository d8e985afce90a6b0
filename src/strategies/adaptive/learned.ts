// What is believed when a run starts: half of what the user's other projects taught, and all that this one did.
import { LESSON_VERSION, type Lesson } from "#spec/lesson";
import { PRIOR } from "./features.ts";
import { learn, type Weights } from "./hazard.ts";

/** How far a new project starts from what others taught. More, and a project unlike them is given up too early to be learned. */
const SHARE = 0.5;
/** What others taught leaves at least this part of the doubt there was. */
const DOUBT = 0.25;
/** Older lessons are of other times. */
const MOST = 2_000;

export interface Learner {
  readonly workspace: string;
  readonly agent: string;
}

function begun(elsewhere: Weights): Weights {
  const mean = PRIOR.mean.map((own, at) => own + SHARE * ((elsewhere.mean[at] ?? own) - own));
  const spread = PRIOR.spread.map((row, at) =>
    row.map((own, column) =>
      at === column ? Math.max(DOUBT * own, elsewhere.spread[at]?.[column] ?? own) : 0,
    ),
  );
  return { mean, spread, transitions: 0 };
}

export function weightsFor(lessons: readonly Lesson[], { workspace, agent }: Learner): Weights {
  const known = lessons.filter(({ v }) => v === LESSON_VERSION).slice(-MOST);
  const isOwn = (lesson: Lesson) => lesson.workspace === workspace && lesson.agent === agent;
  const all = (some: readonly Lesson[]) => some.flatMap(({ transitions }) => transitions);
  const others = known.filter((lesson) => !isOwn(lesson));
  const start = others.length === 0 ? PRIOR : begun(learn(PRIOR, all(others)));
  return learn(start, all(known.filter(isOwn)));
}
