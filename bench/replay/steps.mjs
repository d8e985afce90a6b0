// The steps that the scripted agent can do in a prepared clone: every kind of bad iteration, and the real fix.
import fs from "node:fs";
import path from "node:path";
import { breakBuild, comment, isCode, wrongEdits } from "./edits.mjs";
import { firstHalf, oldLines } from "./hunks.mjs";
import { tryFiles } from "./prepare.mjs";
import { contentAt, resetToBase } from "./repository.mjs";
import { skipTests } from "./skip-tests.mjs";

const MOST_TRIES = 4;
const TIMEOUT_MS = 30_000;

const encode = (text) => Buffer.from(text).toString("base64");
const decode = (content) => Buffer.from(content ?? "", "base64").toString();

/** The source file that the bad edits go into: code that the base has, the one the fix changes most. */
function findTarget(clone) {
  const size = (file) => clone.git.raw("diff", clone.base, clone.fix, "--", file).length;
  const [file] = clone.source
    .filter((each) => isCode(each) && contentAt(clone, clone.base, each) !== null)
    .sort((a, b) => size(b) - size(a));
  return file && { file, text: decode(contentAt(clone, clone.base, file)) };
}

/** A condition turned round that leaves the gate red in good time; a mere comment where there is none. */
async function findWrongEdit(clone, { file, text }, gate) {
  const near = oldLines(clone.git.raw("diff", clone.base, clone.fix, "--", file));
  const timeout = Math.round(TIMEOUT_MS + 3 * clone.gateMs);
  for (const edited of wrongEdits(text, near).slice(0, MOST_TRIES)) {
    const began = performance.now();
    const { ok } = await tryFiles(clone, { [file]: encode(edited) }, { gate, timeout });
    if (!ok && performance.now() - began < timeout) return edited;
  }
  return text;
}

async function findPart(clone, gate) {
  const patch = firstHalf(
    clone.git.raw("diff", "--no-renames", clone.base, clone.fix, "--", ...clone.source),
  );
  if (patch === "") return undefined;
  clone.git.feed(patch, "apply", "-");
  const touched = clone.source.filter((file) => patch.includes(`b/${file}\n`));
  const write = Object.fromEntries(
    touched.map((file) => [file, encode(fs.readFileSync(path.join(clone.dir, file)))]),
  );
  resetToBase(clone);
  return (await tryFiles(clone, write, { gate })).ok ? undefined : write;
}

function cheatSteps(clone) {
  const code = clone.tests.filter((file) => isCode(file) && contentAt(clone, clone.base, file) !== null);
  const skipped = code.flatMap((file) => {
    const text = decode(contentAt(clone, clone.base, file));
    const after = skipTests(file, text);
    return after === text ? [] : [[file, encode(after)]];
  });
  // A test that the fix deletes or moves away would come back as a new file, which an agent may add.
  const kept = clone.tests.filter((file) => contentAt(clone, clone.base, file) !== null);
  const isOld = (file) => contentAt(clone, clone.parent, file) !== null;
  const back = {
    checkout: kept.filter(isOld),
    write: Object.fromEntries(kept.filter((file) => !isOld(file)).map((file) => [file, null])),
  };
  return {
    ...(skipped.length > 0 && { skip: { write: Object.fromEntries(skipped) } }),
    ...(code.length > 0 && { delete: { write: Object.fromEntries(code.map((file) => [file, null])) } }),
    "take-back": back,
  };
}

/** kind → (number of the iteration) → step. Only kinds that this fix allows. */
export async function findSteps(clone, gate) {
  const target = findTarget(clone);
  const part = await findPart(clone, gate);
  const wrong = target && (await findWrongEdit(clone, target, gate));
  const cheats = Object.entries(cheatSteps(clone)).map(([kind, step]) => [
    kind,
    () => ({ kind, says: "The tests pass now.", ...step }),
  ]);
  const edit = (number, text) => encode(text + comment(target.file, `attempt ${number}`));
  const broken = (number) => {
    const { text, line } = breakBuild(target.text + comment(target.file, `attempt ${number}`));
    return {
      kind: "broken",
      says: "Rewrote it.",
      write: { [target.file]: encode(text) },
      file: target.file,
      line,
    };
  };
  return {
    ...Object.fromEntries(cheats),
    idle: () => ({ kind: "idle", says: "All done.\nDONE" }),
    ...(target && {
      wrong: (number) => ({
        kind: "wrong",
        says: "Found it.",
        write: { [target.file]: edit(number, wrong) },
      }),
      broken,
    }),
    ...(part && { part: () => ({ kind: "part", says: "Half of it is done.", write: part }) }),
    fix: () => ({ kind: "fix", says: "Fixed.", write: clone.fixed }),
  };
}
