// One worker of the simulation: what it asks by itself, and for each of its runs.
import { room } from "./events.mjs";

export function workerIn(world, number) {
  const { plan, costs, burst, time, server, random, queue } = world;
  const { code, tasks } = plan;
  const pool = room(plan.pool);
  let free = burst ? plan.perWorker : 0;
  const later = (mean) => -Math.log(1 - random()) * mean;

  /** Through one of the store's connections. */
  const ask = (kind, cost, done = () => {}) => {
    const from = time.now();
    pool.enter(() =>
      server.serve(kind, cost, () => {
        pool.leave();
        if (kind === "appends") world.appends.push(time.now() - from);
        done();
      }),
    );
  };

  /** Again when so much time has passed since the answer; `through` is the pool, or a connection of its own. */
  const every = (ms, through, kind, cost, done = () => {}) => {
    const again = () =>
      through(kind, cost, () => {
        done();
        time.after(ms, again);
      });
    time.after(random() * ms, again);
  };

  /** Now and then while the run lasts. */
  const often = (ends, mean, kind, cost) => {
    const again = () => {
      if (time.now() >= ends) return;
      ask(kind, cost);
      time.after(later(mean), again);
    };
    time.after(later(mean), again);
  };

  /** By the clock, unless the last one is not answered yet. */
  const lookAtInbox = (ends) => {
    let isLooking = false;
    const look = () => {
      if (time.now() >= ends) return;
      time.after(code.inboxMs, look);
      if (isLooking) return;
      isLooking = true;
      ask("inbox looks", costs.inbox, () => {
        isLooking = false;
      });
    };
    time.after(random() * code.inboxMs, look);
  };

  const drive = () => {
    const ends = time.now() + later(tasks.runMs);
    if (!plan.inboxPerWorker) lookAtInbox(ends);
    often(ends, tasks.iterationMs / plan.statements.iteration, "appends", costs.append);
    if (plan.logs) {
      often(ends, tasks.logPieceEveryMs, "log pieces", costs.logPiece);
      often(ends, tasks.iterationMs, "packs", costs.pack);
    }
    time.at(ends, () => {
      world.claimed--;
      free++;
      // Half of what a run asks besides its iterations is the submitter's.
      const statements = plan.statements.run / 2;
      ask("starts and ends", { ...costs.append, cpuMs: costs.append.cpuMs * statements, statements });
      queue.push(time.now());
    });
  };

  const claim = (submitted) =>
    pool.enter(() => {
      const from = time.now();
      server.lock.enter(() => {
        world.lockWaits.push(time.now() - from);
        server.serve("claims", { ...costs.crowds[0].claim, cpuMs: world.claimMs() }, () => {
          server.lock.leave();
          pool.leave();
          world.claimed++;
          world.delays.push(time.now() - submitted);
          if (!burst) drive();
        });
      });
    });

  const take = () => {
    for (; free > 0 && queue.length > 0; free--) claim(queue.shift());
  };

  const { serve } = server;
  every(code.dequeueMs, serve, "dequeue polls", { ...costs.dequeue, walBytes: 0, statements: 4 }, take);
  if (burst) return;
  every(code.housekeepingMs, serve, "queue housekeeping", {
    ...costs.housekeeping,
    walBytes: 0,
    statements: 5,
  });
  every(code.beatMs, serve, "heartbeats", costs.beat);
  const seldom = Math.min(code.mostSeldom, Math.max(1, plan.runs / plan.perWorker / code.fewPeers));
  if (number < plan.watchers) every(code.peersMs * seldom, ask, "peers' looks", { cpuMs: world.lookMs });
  else every(code.beatMs, ask, "peers' looks", costs.beat);
  if (plan.inboxPerWorker) every(code.inboxMs, ask, "inbox looks", costs.inbox);
  for (let at = 0; at < plan.perWorker; at++) drive();
}
