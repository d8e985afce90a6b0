// Runs the built command line with the defaults on a prepared clone, and looks at what it left behind.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { plainEnvironment } from "./prepare.mjs";
import { contentsAt, resetToBase, userState } from "./repository.mjs";

const CLI = fileURLToPath(new URL("../../bin/converge.js", import.meta.url));
const AGENT = fileURLToPath(new URL("agent.mjs", import.meta.url));
const PROMPT = "Fix the failing tests";

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function converge({ cli = CLI, state, dir }, args) {
  const env = {
    ...plainEnvironment(),
    CONVERGE_HOME: path.join(state, "home"),
    XDG_CONFIG_HOME: path.join(state, "config"),
  };
  return spawnSync(process.execPath, [cli, ...args], {
    cwd: dir,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 2 ** 28,
  });
}

const readEvents = (stdout) =>
  stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

/** Delivers the run as a branch, and names the paths in which it differs from the fix. */
function deliveredDifference(clone, place, run) {
  const { status, stderr } = converge(place, ["deliver", run, "--as", "branch", "--branch", "replayed"]);
  if (status !== 0) return [`not delivered: ${stderr.trim()}`];
  return clone.git.raw("diff", "--name-only", "-z", "replayed", clone.fix).split("\0").filter(Boolean);
}

/** `cli` is the program to run; the built one by default. */
export function runConverge({ clone, gate, steps, state, cli }) {
  resetToBase(clone);
  fs.mkdirSync(state, { recursive: true });
  const plan = path.join(state, "plan.json");
  const base = contentsAt(clone, clone.base, clone.source);
  fs.writeFileSync(plan, JSON.stringify({ parent: clone.parent, base, steps }));
  const agent = [process.execPath, AGENT, plan].map(quoted).join(" ");
  const place = { cli, state, dir: clone.dir };
  const before = userState(clone);
  const began = performance.now();
  const ran = converge(place, ["run", "-p", PROMPT, "--agent-cmd", agent, "--gate", gate, "--json"]);
  const seconds = (performance.now() - began) / 1_000;
  const events = readEvents(ran.stdout);
  const untouched = userState(clone) === before;
  const converged = events.some(({ type, outcome }) => type === "run.ended" && outcome === "converged");
  const difference = converged ? deliveredDifference(clone, place, events[0].run) : ["not converged"];
  if (converged) clone.git.text("branch", "--quiet", "-D", "replayed");
  return { events, seconds, untouched, difference, stderr: ran.stderr };
}
