// Checks the words of CONTEXT.md: no word of an *avoid* column in identifiers, comments, messages and documents.
// Prints each place as FILE:LINE: WORD, and fails when there is one.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { root } from "./set-up.mjs";

const CHECKED = /^(?:src|dashboard\/src|plugins|examples|docs)\/.*\.(?:tsx?|mjs|md)$|^[A-Z]+\.md$/;
/** The glossary itself, and decisions of the past. */
const NOT_CHECKED = /^(?:CONTEXT\.md|docs\/decisions\/)/;

/** The rows of the tables: each avoided word, and the paths where it means something else. */
export function avoidedWords(glossary) {
  const rows = glossary.split("\n").filter((line) => /^\| (?!word|write|-)/.test(line));
  return rows.flatMap((row) => {
    const column = row.split("|").at(-2).trim();
    return [...column.matchAll(/([a-z][a-z -]*[a-z])(?: \(([^)]*)\))?/g)].map(([, word, paths]) => ({
      word,
      allowed: paths?.split(",").map((one) => one.trim()) ?? [],
    }));
  });
}

/** Splits identifiers into words, so that `jobQueue` contains the word "job". */
const spaced = (text) => text.replace(/(?<=[a-z0-9])(?=[A-Z])/g, " ").replace(/_/g, " ");

/** The places of a text that use an avoided word. */
export function findAvoided(file, text, words) {
  const checked = words.filter(({ allowed }) => !allowed.some((part) => file.includes(part)));
  if (checked.length === 0) return [];
  const pattern = new RegExp(`\\b(${checked.map(({ word }) => word).join("|")})s?\\b`, "i");
  return text.split("\n").flatMap((line, index) => {
    const [, word] = pattern.exec(spaced(line)) ?? [];
    return word === undefined ? [] : [`${file}:${index + 1}: ${word}`];
  });
}

function trackedFiles() {
  const listed = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" });
  return listed.split("\n").filter((file) => CHECKED.test(file) && !NOT_CHECKED.test(file));
}

if (process.argv[1] === import.meta.filename) {
  const words = avoidedWords(fs.readFileSync(path.join(root, "CONTEXT.md"), "utf8"));
  const places = trackedFiles()
    .filter((file) => fs.existsSync(path.join(root, file)))
    .flatMap((file) => findAvoided(file, fs.readFileSync(path.join(root, file), "utf8"), words));
  for (const place of places) console.log(place);
  console.log(`${words.length} avoided words, ${places.length} uses`);
  process.exitCode = places.length === 0 ? 0 : 1;
}
