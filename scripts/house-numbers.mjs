// Measures the code base: sizes that grow unnoticed, each with the limit that it must keep.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import ts from "typescript";
import { mutualFolders, roomOf } from "./house-graph.mjs";
import { root } from "./set-up.mjs";

/** The functions of a file, closures included: name, place, lines from the first to the last, and parameters. */
function functionsIn(file) {
  const source = ts.createSourceFile(
    file,
    fs.readFileSync(path.join(root, file), "utf8"),
    ts.ScriptTarget.Latest,
    true,
  );
  const found = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
      const from = lineOf(node.getStart(source));
      const name = node.name?.getText(source) ?? node.parent.name?.getText?.(source) ?? "(anonymous)";
      const lines = lineOf(node.end) - from + 1;
      found.push({ place: `${file}:${from} ${name}`, lines, parameters: node.parameters.length });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The tracked modules of the page, which the import graph of src/ does not cover. */
function pageModules() {
  const listed = execFileSync("git", ["ls-files", "dashboard/src"], { cwd: root, encoding: "utf8" });
  return listed
    .split("\n")
    .filter((file) => /\.tsx?$/.test(file))
    .filter((file) => fs.existsSync(path.join(root, file)));
}

function filesByRoom(graph) {
  const counts = new Map();
  for (const room of [...graph.keys()].map(roomOf).filter(Boolean))
    counts.set(room, (counts.get(room) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** Modules of at most 30 lines that only one other module imports: fragments of their importer. */
function fragments(graph) {
  const importers = new Map();
  for (const imports of graph.values())
    for (const to of imports) importers.set(to, (importers.get(to) ?? 0) + 1);
  const lines = (file) => fs.readFileSync(path.join(root, file), "utf8").trimEnd().split("\n").length;
  return [...graph.keys()].filter((file) => importers.get(file) === 1 && lines(file) <= 30);
}

/** The rows of the table: a measure, its value, its limit, and the places to look at. */
function measures(graph) {
  const functions = [...graph.keys(), ...pageModules()].flatMap(functionsIn);
  const long = functions.filter(({ lines }) => lines > 60).sort((a, b) => b.lines - a.lines);
  const wide = functions.filter(({ parameters }) => parameters >= 4);
  const [[largest, files]] = filesByRoom(graph);
  const pairs = mutualFolders(graph);
  const small = fragments(graph);
  return [
    { what: `files in the largest room (${largest})`, value: files, most: 90, places: [] },
    {
      what: "pairs of folders that import each other",
      value: pairs.length,
      most: 0,
      places: pairs.map((pair) => pair.join(" and ")),
    },
    {
      what: "functions longer than 60 lines",
      value: long.length,
      most: 0,
      places: long.map(({ place, lines }) => `${place} (${lines} lines)`),
    },
    {
      what: "functions with 4 or more parameters",
      value: wide.length,
      most: 5,
      places: wide.map(({ place, parameters }) => `${place} (${parameters})`),
    },
    {
      what: "modules of at most 30 lines with one importer",
      value: small.length,
      most: undefined,
      places: small,
    },
    { what: "modules", value: graph.size, most: undefined, places: [] },
  ];
}

/** Prints the table, and the places of each measure above its limit. Returns whether all limits hold. */
export function printNumbers(graph, isAll = process.argv.includes("--all")) {
  let holds = true;
  for (const { what, value, most, places } of measures(graph)) {
    const isOver = most !== undefined && value > most;
    holds &&= !isOver;
    const limit = most === undefined ? "" : ` (at most ${most})`;
    console.log(`${isOver ? "FAIL" : "ok  "} ${what}: ${value}${limit}`);
    if (isOver || isAll) for (const place of places) console.log(`       ${place}`);
  }
  return holds;
}
