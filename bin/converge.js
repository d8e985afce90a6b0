#!/usr/bin/env node
// The version is answered without loading anything else: it is what scripts ask most often.
import fs from "node:fs";

const first = process.argv[2];
if (first === "--version" || first === "-V") {
  const { version } = JSON.parse(fs.readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${version}\n`);
} else {
  const { setFlagsFromString } = await import("node:v8");
  // Starting an agent copies the page tables of this process, so what it does not need it should not hold.
  setFlagsFromString("--semi-space-growth-factor=1");
  // Nor let what is left over from an agent that prints a lot pile up: collected when it has doubled, not when it is fourfold.
  setFlagsFromString("--heap-growing-percent=100");
  const { load } = await import("./load.js");
  await load().main(process.argv);
}
