// Discrete events: what happens next, in the order of time, and things that only so many can have at once.

/** A heap by time; who comes first at the same moment goes first. */
export function clock() {
  const heap = [];
  let now = 0;
  let count = 0;
  const before = (a, b) => a.time < b.time || (a.time === b.time && a.order < b.order);
  const at = (time, act) => {
    let place = heap.push({ time: Math.max(time, now), order: count++, act }) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!before(heap[place], heap[parent])) break;
      [heap[place], heap[parent]] = [heap[parent], heap[place]];
      place = parent;
    }
  };
  const next = () => {
    const first = heap[0];
    const last = heap.pop();
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let place = 0; ; ) {
      const left = 2 * place + 1;
      if (left >= heap.length) return first;
      const child = left + 1 < heap.length && before(heap[left + 1], heap[left]) ? left + 1 : left;
      if (!before(heap[child], heap[place])) return first;
      [heap[place], heap[child]] = [heap[child], heap[place]];
      place = child;
    }
  };
  return {
    now: () => now,
    at,
    after: (ms, act) => at(now + ms, act),
    /** Until then, or until `isOver` says so. */
    run: (until, isOver = () => false) => {
      while (heap.length > 0 && heap[0].time <= until && !isOver()) {
        const { time, act } = next();
        now = time;
        act();
      }
      if (!isOver()) now = until;
    },
  };
}

/** So many at once; the others wait in line. */
export function room(size) {
  let free = size;
  let first;
  let last;
  return {
    enter: (act) => {
      if (free > 0) {
        free--;
        act();
        return;
      }
      const waiting = { act };
      if (first) last.next = waiting;
      else first = waiting;
      last = waiting;
    },
    leave: () => {
      if (!first) {
        free++;
        return;
      }
      const { act, next } = first;
      first = next;
      act();
    },
  };
}

/** The same numbers for the same seed (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
