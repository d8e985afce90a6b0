// The command line in one file, compiled ahead: loading and compiling hundreds of modules is most of what starting costs.
// Runs on what the compiler made; the SDK keeps its modules as they are.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const dist = path.join(root, "dist");
const outdir = path.join(dist, "command-line");

// What an earlier build compiled ahead would be for other code.
fs.rmSync(outdir, { recursive: true, force: true });

const common = {
  outdir,
  bundle: true,
  platform: "node",
  target: "node20.19",
  // Half the bytes to read; names stay, for those who read a stack.
  minifyWhitespace: true,
  minifySyntax: true,
  // Native, or loaded only when it is needed.
  external: ["@photostructure/sqlite", "pg", "@dbos-inc/dbos-sdk", "recheck", "hono", "@hono/node-server"],
  // Its main module asks for its parts in a way that a bundler cannot follow.
  alias: { "jsonc-parser": path.join(root, "node_modules/jsonc-parser/lib/esm/main.js") },
  logLevel: "error",
};

await build({
  ...common,
  entryPoints: { main: path.join(dist, "cli/main.js") },
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  define: { "import.meta.url": "__url", "import.meta.dirname": "__dirname" },
});

// The worker of custom strategies is found beside whoever starts it, so both lie in one folder.
await build({
  ...common,
  entryPoints: { worker: path.join(dist, "catalog/custom/worker.js") },
  format: "esm",
  // Packages in the older module format ask for Node's own modules by `require`.
  banner: {
    js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
  },
});

// The plugin for opencode, in one file that can be copied anywhere; readable, because people look into what they install.
await build({
  ...common,
  outdir: path.join(dist, "opencode"),
  entryPoints: { plugin: path.join(dist, "hooks/opencode/plugin.js") },
  format: "esm",
  minifyWhitespace: false,
  minifySyntax: false,
});

// A small run, so that what every run needs is compiled ahead.
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "converge-build-"));
const workspace = path.join(temporary, "workspace");
fs.mkdirSync(workspace);
const task = { prompt: "x", agent: { type: "command", command: "touch done" }, gates: ["test -e done"] };
fs.writeFileSync(path.join(workspace, "converge.yaml"), JSON.stringify(task));
const { status, stderr } = spawnSync(process.execPath, [path.join(root, "bin", "converge.js"), "run"], {
  cwd: workspace,
  env: { ...process.env, CONVERGE_HOME: path.join(temporary, "home"), XDG_CONFIG_HOME: temporary },
  encoding: "utf8",
});
fs.rmSync(temporary, { recursive: true, force: true });
if (status !== 0) {
  console.error(`the bundled command line does not work (exit ${status}): ${stderr}`);
  process.exit(1);
}
