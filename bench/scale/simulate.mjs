// So many runs on as many workers as they need, and one Postgres: what it is asked, and who waits for what.
import { clock, randomFrom, room } from "./events.mjs";
import { workerIn } from "./worker.mjs";

/** Between those that were measured, in a straight line. */
function between(points, at) {
  const above = points.findIndex(({ x }) => x >= at);
  if (above === 0) return points[0].y;
  if (above < 0) return points.at(-1).y * (at / points.at(-1).x);
  const [a, b] = [points[above - 1], points[above]];
  return a.y + ((b.y - a.y) * (at - a.x)) / (b.x - a.x);
}

function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { half: at(0.5), most: at(0.99), worst: sorted.at(-1) ?? 0 };
}

/** Its processors, its disk and its one lock for claims; and a note of everything that it was asked. */
function serverFor(time, { cores }, { flushMs }) {
  const processors = room(cores);
  const asked = new Map();
  const note = (kind, { cpuMs, walBytes = 0, statements = 1 }) => {
    const sum = asked.get(kind) ?? { statements: 0, cpuMs: 0, walBytes: 0 };
    asked.set(kind, {
      statements: sum.statements + statements,
      cpuMs: sum.cpuMs + cpuMs,
      walBytes: sum.walBytes + walBytes,
    });
  };
  const serve = (kind, cost, done) => {
    note(kind, cost);
    processors.enter(() =>
      time.after(cost.cpuMs, () => {
        processors.leave();
        if (cost.walBytes > 1) time.after(flushMs, done);
        else done();
      }),
    );
  };
  return { serve, asked, lock: room(1) };
}

/**
 * `plan` is {runs, perWorker, cores, seed, code, tasks, statements, pool, logs, watchers, flatClaims, inboxPerWorker}; `costs` are as
 * measured. With `burst` all runs are submitted at once, and only their claims are looked at; otherwise all are at work already, and a
 * run that ends is followed by another.
 */
export function simulate(plan, costs, { burst, windowMs }) {
  const time = clock();
  const server = serverFor(time, plan, costs);
  const workers = Math.ceil(plan.runs / plan.perWorker);
  const crowd = (name, part) => costs.crowds.map((one) => ({ x: one[name], y: one[part].cpuMs }));
  const world = {
    plan,
    costs,
    burst,
    time,
    server,
    random: randomFrom(plan.seed),
    lookMs: between(crowd("workers", "look"), workers),
    claimMs: () => between(crowd("runs", "claim"), plan.flatClaims ? 100 : world.claimed),
    /** When those were submitted that wait. */
    queue: Array.from({ length: burst ? plan.runs : 0 }, () => 0),
    claimed: burst ? 0 : plan.runs,
    lockWaits: [],
    delays: [],
    appends: [],
  };
  for (let number = 0; number < workers; number++) workerIn(world, number);
  time.run(windowMs, () => burst && world.delays.length >= plan.runs);

  const seconds = time.now() / 1_000;
  const kinds = [...server.asked].map(([kind, { statements, cpuMs, walBytes }]) => ({
    kind,
    statements: statements / seconds,
    cores: cpuMs / 1_000 / seconds,
    walBytes: walBytes / seconds,
  }));
  const sum = (name) => kinds.reduce((total, one) => total + one[name], 0);
  return {
    runs: plan.runs,
    workers,
    seconds,
    statements: sum("statements"),
    cores: sum("cores"),
    walBytes: sum("walBytes"),
    kinds: kinds.toSorted((a, b) => b.cores - a.cores),
    lockWait: spread(world.lockWaits),
    delay: spread(world.delays),
    append: spread(world.appends),
    /** The server gives these up. */
    givenUp: world.lockWaits.filter((ms) => ms > plan.code.statementMs).length,
  };
}
