// Draws the scripted agent's bad iterations from a seed. The same seed and the same kinds give the same order.

const FEWEST = 2;
const MOST = 7;

/** mulberry32: small, seeded, good enough to shuffle with. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Two to seven of the kinds in any order; one may come again once the others had their turn. */
export function drawBadIterations(seed, kinds) {
  const next = random(seed * 7919);
  const length = FEWEST + Math.floor(next() * (MOST - FEWEST + 1));
  const drawn = [];
  while (drawn.length < length) {
    const left = [...kinds];
    while (left.length > 0 && drawn.length < length)
      drawn.push(left.splice(Math.floor(next() * left.length), 1)[0]);
  }
  return drawn;
}
