// npm start: sets everything up and shows the main job on a small real project.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { build, root, setUp } from "./set-up.mjs";

await setUp();
console.log("building …");
if (!(await build())) process.exit(1);

const demo = path.join(root, "examples", "demo");
const project = fs.mkdtempSync(path.join(os.tmpdir(), "converge-demo-"));
fs.cpSync(path.join(demo, "project"), project, { recursive: true });
fs.copyFileSync(path.join(demo, "converge.yaml"), path.join(project, "converge.yaml"));
const git = (...args) =>
  spawnSync("git", ["-c", "user.name=demo", "-c", "user.email=demo@localhost", ...args], { cwd: project });
git("init", "--quiet");
git("add", "--all");
git("commit", "--quiet", "--message", "A shop with failing tests");

const cli = path.join(root, "bin", "converge.js");
console.log(`\nA small shop with failing tests lies in ${project}; an agent is put to work on it.\n`);
const { status } = spawnSync(process.execPath, [cli, "run"], { cwd: project, stdio: "inherit" });

const converge = `node ${path.relative(process.cwd(), cli) || cli}`;
console.log(`
The project is in ${project}
What to type next:
  ${converge} show last          what each iteration did, gate by gate
  ${converge} diff last          what the run changed; "diff last 2" is the step back
  ${converge} logs last          everything the agent and the gates printed
  ${converge} run --help         your own agent, your own gates`);
process.exitCode = status ?? 1;
