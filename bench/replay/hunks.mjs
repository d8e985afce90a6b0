// Reads a patch of git: its files and hunks, and a patch of only some of them.

/** [{head, hunks}] per file; a file without hunks (binary, mode) has none. */
function readPatch(patch) {
  return patch
    .split(/^(?=diff --git )/m)
    .filter((section) => section.startsWith("diff --git "))
    .map((section) => {
      const [head, ...hunks] = section.split(/^(?=@@ )/m);
      return { head, hunks };
    });
}

/** The first half of a patch's hunks; nothing when there are fewer than two. */
export function firstHalf(patch) {
  const files = readPatch(patch);
  const total = files.reduce((sum, { hunks }) => sum + hunks.length, 0);
  let left = Math.floor(total / 2);
  const half = files.flatMap(({ head, hunks }) => {
    const taken = hunks.slice(0, left);
    left -= taken.length;
    return taken.length > 0 ? [head, ...taken] : [];
  });
  return half.join("");
}

/** The lines (from 1) of the old file at which the hunks of a one-file patch begin. */
export function oldLines(patch) {
  return [...patch.matchAll(/^@@ -(\d+)(?:,(\d+))? /gm)].map(
    ([, start, length = "1"]) => Number(start) + Math.floor(Number(length) / 2),
  );
}
