#!/usr/bin/env node
// The version is answered without loading anything else: it is what scripts ask most often.
import fs from "node:fs";
import module from "node:module";
import v8 from "node:v8";

const first = process.argv[2];
if (first === "--version" || first === "-V") {
  const { version } = JSON.parse(fs.readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${version}\n`);
} else {
  module.enableCompileCache?.();
  // Starting an agent copies the page tables of this process, so what it does not need it should not hold.
  v8.setFlagsFromString("--semi-space-growth-factor=1");
  const { main } = await import("../dist/command-line/main.js");
  await main(process.argv);
}
