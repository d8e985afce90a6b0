// The command line in a few files instead of hundreds: loading each module is most of what starting costs.
// Runs on what the compiler made; the SDK keeps its modules as they are.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "dist");

// Chunks are named by their content: those of an earlier build would stay.
fs.rmSync(path.join(dist, "command-line"), { recursive: true, force: true });

await build({
  // The worker of custom strategies is found beside whoever starts it, so both lie in one folder.
  entryPoints: { main: path.join(dist, "cli/main.js"), worker: path.join(dist, "app/custom/worker.js") },
  outdir: path.join(dist, "command-line"),
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  // Native, or loaded only when it is needed.
  external: ["@photostructure/sqlite", "recheck"],
  // Packages in the older module format ask for Node's own modules by `require`.
  banner: {
    js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
  },
  logLevel: "error",
});
