// Draws the rooms into ARCHITECTURE.md, from the imports of the code: a picture, and a table of what each room holds.
// --check tells whether the drawing still matches the code. --numbers prints the sizes that are kept small, and fails
// when one exceeds its limit.
import fs from "node:fs";
import path from "node:path";
import { arrowsBetween, importGraph, roomOf } from "./house-graph.mjs";
import { printNumbers } from "./house-numbers.mjs";
import { holds, rooms } from "./rooms.mjs";
import { root } from "./set-up.mjs";

const file = path.join(root, "ARCHITECTURE.md");
const BEGIN = "<!-- house: drawn by `npm run house`, not by hand -->";
const END = "<!-- /house -->";

/** Leaves out an arrow when another path leads to the same room: the picture shows the order of the rooms. */
function reduced(arrows) {
  const reaches = (from, to) => {
    const targets = [...(arrows.get(from) ?? [])];
    return targets.includes(to) || targets.some((next) => reaches(next, to));
  };
  return [...arrows].flatMap(([from, targets]) =>
    [...targets]
      .sort()
      .filter((to) => ![...targets].some((other) => other !== to && reaches(other, to)))
      .map((to) => [from, to]),
  );
}

function drawing(arrows) {
  const inOrder = new Map(Object.keys(rooms).map((room) => [room, arrows.get(room) ?? new Set()]));
  return [
    BEGIN,
    "```mermaid",
    "flowchart TD",
    ...reduced(inOrder).map(([from, to]) => `  ${from} --> ${to}`),
    "```",
    "",
    "| room | what it holds |",
    "|---|---|",
    ...Object.entries(holds).map(([room, text]) => `| \`${room}\` | ${text} |`),
    END,
  ].join("\n");
}

function draw(arrows, isCheck) {
  const text = fs.readFileSync(file, "utf8");
  const before = text.slice(text.indexOf(BEGIN), text.indexOf(END) + END.length);
  if (!before.startsWith(BEGIN))
    throw new Error(`ARCHITECTURE.md has no place for the drawing (${BEGIN} … ${END})`);
  const after = drawing(arrows);
  if (!isCheck) {
    fs.writeFileSync(file, text.replace(before, after));
    console.log("ARCHITECTURE.md drawn");
  } else if (before !== after) {
    console.error("the drawing in ARCHITECTURE.md does not match the code; run `npm run house`");
    process.exitCode = 1;
  }
}

const graph = await importGraph();
const isCheck = process.argv.includes("--check");
const isNumbers = process.argv.includes("--numbers");
if (isCheck || !isNumbers) draw(arrowsBetween(graph, roomOf), isCheck);
if (isNumbers && !printNumbers(graph)) process.exitCode = 1;
