// The scripted agent. Iteration n does step n of the plan, and every later one the last step, which is the real fix.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const plan = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const iteration = Number(process.env.CONVERGE_ITERATION);
const step = plan.steps[Math.min(iteration, plan.steps.length) - 1];

// Compilers and Python's byte code go by seconds, so two iterations never write in the same one.
await new Promise((resolve) => setTimeout(resolve, 1_000 - (Date.now() % 1_000)));

/** null deletes. What is there already is not written, so that nothing is built again for nothing. */
function write(files) {
  for (const [file, content] of Object.entries(files)) {
    if (content === null) fs.rmSync(file, { force: true });
    else {
      const bytes = Buffer.from(content, "base64");
      if (fs.existsSync(file) && fs.readFileSync(file).equals(bytes)) continue;
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, bytes);
    }
  }
}

if (step.kind !== "idle") {
  write({ ...plan.base, ...step.write });
  if (step.checkout?.length > 0)
    execFileSync("git", ["checkout", "--quiet", plan.parent, "--", ...step.checkout]);
}
console.log(step.says);
