// Replays past bug fixes of real repositories under the defaults: npm run bench:replay -- --help
import { build, setUp } from "../scripts/set-up.mjs";
import { HELP, readOptions } from "./replay/options.mjs";

const options = readOptions(process.argv.slice(2));
if (options.help) {
  console.log(HELP);
} else {
  await setUp();
  if (!options.noBuild && !(await build())) process.exit(1);
  const { replayAll } = await import("./replay/replay-all.mjs");
  process.exitCode = (await replayAll(options)) ? 0 : 1;
}
