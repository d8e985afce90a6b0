// Records the output of the real agent CLIs as fixtures for the driver tests. Run by hand, after a new version
// of a CLI is pinned (test/support/install-agents.ts) or a scenario is added (test/agents/scenarios.ts):
//
//   node test/agents/record.mjs                        all CLIs, all scenarios
//   node test/agents/record.mjs claude                 one CLI
//   node test/agents/record.mjs claude rate-limited    one recording
//
// Each goes to test/fixtures/transcripts/<cli>/<scenario>.json; look at the difference before you commit it.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const here = path.dirname(fileURLToPath(import.meta.url));
const options = { root: path.resolve(here, "../.."), configFile: false, logLevel: "error" };
const { module } = await runnerImport(path.join(here, "recorder.ts"), options);
await module.record(process.argv[2], process.argv[3]);
