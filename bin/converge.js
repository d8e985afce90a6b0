#!/usr/bin/env node
// Entry point. Prints the version without loading anything else, because scripts often ask for it.
import fs from "node:fs";

const first = process.argv[2];
if (first === "--version" || first === "-V") {
  const { version } = JSON.parse(fs.readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${version}\n`);
} else {
  const { setFlagsFromString } = await import("node:v8");
  // Keep the heap small: starting an agent copies the page tables of this process.
  setFlagsFromString("--semi-space-growth-factor=1");
  // Collect garbage when the heap has doubled, not quadrupled: an agent that prints a lot leaves much behind.
  setFlagsFromString("--heap-growing-percent=100");
  const { load } = await import("./load.js");
  await load().main(process.argv);
}
