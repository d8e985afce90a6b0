// A real Postgres for measurements, the same as the tests use: on loopback, and gone afterwards.
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "../scripts/set-up.mjs";

/** The tests' own helper is TypeScript, which Node 20 does not read. */
async function helper() {
  const source = path.join(root, "test", "support", "postgres.ts");
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "converge-bench-"));
  const outfile = path.join(folder, "postgres.cjs");
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: "node",
    external: ["pg-native"],
    define: { "import.meta.url": JSON.stringify(pathToFileURL(source).href) },
    logLevel: "error",
  });
  const made = createRequire(import.meta.url)(outfile);
  fs.rmSync(folder, { recursive: true });
  return made;
}

export async function startPostgres(settings) {
  const { copyPrograms, startServer } = await helper();
  const programs = copyPrograms();
  const { url, dispose } = await startServer(
    programs,
    settings.flatMap((setting) => ["-c", setting]),
  );
  return {
    url,
    dispose: async () => {
      await dispose();
      fs.rmSync(programs, { recursive: true, force: true });
    },
  };
}
