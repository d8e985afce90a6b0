// Do the default and `adaptive` stop at the right time? The protocol on a folder of logs: npm run bench:stop -- --data DIR
import { build, setUp } from "../scripts/set-up.mjs";

await setUp();
if (!(await build())) process.exit(1);
await import("./stop/protocol.mjs");
