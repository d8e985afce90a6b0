// Draws the rooms and the arrows between them into ARCHITECTURE.md, from the imports there are.
// With --check it only says whether the drawing is still true.
import fs from "node:fs";
import path from "node:path";
import { cruise } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";
import config from "../.dependency-cruiser.mjs";
import { rooms } from "./rooms.mjs";
import { root } from "./set-up.mjs";

const file = path.join(root, "ARCHITECTURE.md");
const BEGIN = "<!-- house: drawn by `npm run house`, not by hand -->";
const END = "<!-- /house -->";

const roomOf = (source) => /^src\/([^/]+)\//.exec(source)?.[1];

async function arrows() {
  const { output } = await cruise(["src"], { ...config.options, baseDir: root }, undefined, {
    tsConfig: extractTSConfig(path.join(root, "tsconfig.json")),
  });
  const found = new Map(Object.keys(rooms).map((room) => [room, new Set()]));
  let modules = 0;
  for (const { source, dependencies } of output.modules) {
    const from = roomOf(source);
    if (!from) continue;
    modules++;
    for (const { resolved } of dependencies) {
      const to = roomOf(resolved);
      if (to && to !== from) found.get(from)?.add(to);
    }
  }
  return { found, modules };
}

function picture({ found, modules }) {
  const lines = [...found].flatMap(([from, targets]) =>
    [...targets].sort().map((to) => `  ${from} --> ${to}`),
  );
  return [
    BEGIN,
    "```mermaid",
    "flowchart TD",
    ...lines,
    "```",
    "",
    `${modules} modules in ${found.size} rooms, ${lines.length} arrows.`,
    END,
  ].join("\n");
}

const text = fs.readFileSync(file, "utf8");
const before = text.slice(text.indexOf(BEGIN), text.indexOf(END) + END.length);
if (!before.startsWith(BEGIN))
  throw new Error(`ARCHITECTURE.md has no place for the picture (${BEGIN} … ${END})`);
const drawn = picture(await arrows());
// The number of modules changes with every file; only arrows make the picture wrong.
const essence = (drawing) => drawing.replace(/\d+ modules/, "");
if (process.argv.includes("--check")) {
  if (essence(before) !== essence(drawn)) {
    console.error("the picture in ARCHITECTURE.md is not what the code says; run `npm run house`");
    process.exitCode = 1;
  }
} else {
  fs.writeFileSync(file, text.replace(before, drawn));
  console.log("ARCHITECTURE.md drawn");
}
