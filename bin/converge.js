#!/usr/bin/env node
// The version is answered without loading anything else: it is what scripts ask most often.
import fs from "node:fs";
import module from "node:module";

const first = process.argv[2];
if (first === "--version" || first === "-V") {
  const { version } = JSON.parse(fs.readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${version}\n`);
} else {
  module.enableCompileCache?.();
  const { main } = await import("../dist/cli/main.js");
  await main(process.argv);
}
