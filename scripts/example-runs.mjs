// A few real runs in a temporary folder, as a user would have them: they are what the screenshots show.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "./set-up.mjs";

const cli = path.join(root, "bin", "converge.js");

const FORMATS = ["a plain file", "quoted fields", "line breaks in fields", "semicolons", "an empty file"];
const RARER = ["a byte order mark", "Latin-1", "a missing last line break", "a million rows", "ragged rows"];
const CASES = [...FORMATS, ...RARER];

/** Reads which formats the importer knows, and says so test by test. */
const CHECK = `import fs from "node:fs";
const known = JSON.parse(fs.readFileSync("formats.json", "utf8"));
const cases = ${JSON.stringify(CASES)};
console.log("TAP version 13");
cases.forEach((name, at) => {
  const ok = known.includes(name);
  console.log(\`\${ok ? "ok" : "not ok"} \${at + 1} - reads \${name}\`);
  if (!ok) console.log(\`  ---\\n  error: "expected \${name} to be read, got an empty table"\\n  ...\`);
});
console.log(\`1..\${cases.length}\`);
process.exitCode = cases.every((name) => known.includes(name)) ? 0 : 1;
`;

/** By iteration: how many it can read; it wins, loses and then goes round in circles. */
const ATTEMPTS = [3, 5, 7, 6, 4, 4, 4];

const IMPORTER = {
  prompt: "Make the importer read every kind of CSV file in the test set.",
  agent: {
    type: "scripted",
    iterations: ATTEMPTS.map((count, at) => [
      { write: { "formats.json": `${JSON.stringify(CASES.slice(0, count), null, 2)}\n` } },
      { usage: { inputTokens: 8200 + at * 900, outputTokens: 700 + at * 40, costUsd: 0.05 } },
      { say: `The importer reads ${count} of the kinds now.` },
    ]),
  },
  strategy: "adaptive",
  gates: [
    { name: "tests", command: "node check.mjs" },
    { name: "formats", command: "node -e \"JSON.parse(require('fs').readFileSync('formats.json'))\"" },
  ],
  limits: { iterations: 8, cost: 2 },
};

const MIGRATION = {
  prompt: "Add the migration that splits names into first and last name.",
  agent: {
    type: "scripted",
    iterations: [
      [
        {
          write: {
            "migrations/007-names.sql":
              "ALTER TABLE people ADD first_name text;\nALTER TABLE people ADD last_name text;\n",
          },
        },
        { usage: { inputTokens: 4100, outputTokens: 380, costUsd: 0.02 } },
        { say: "The migration is written; nothing was run against a database." },
      ],
    ],
  },
  gates: [
    { name: "written", command: "test -s migrations/007-names.sql" },
    { name: "review", type: "approval", message: "Is the migration safe to run?" },
  ],
};

const SEARCH = {
  prompt: "Make the search find words with umlauts.",
  agent: {
    type: "scripted",
    iterations: [
      [
        { write: { "search.js": "export const fold = (text) => text.toLowerCase();\n" } },
        { say: "Folding upper and lower case first." },
      ],
      [{ say: "Reading how the index folds words …" }, { hang: true }],
    ],
  },
  gates: [{ name: "umlauts", command: "grep --quiet normalize search.js" }],
};

/** Everything private to it: state, settings, projects. */
export function exampleRuns() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "converge-")));
  const env = {
    ...process.env,
    CONVERGE_HOME: path.join(folder, "state"),
    XDG_CONFIG_HOME: path.join(folder, "config"),
  };
  const project = (name, files) => {
    const dir = path.join(folder, name);
    fs.mkdirSync(dir, { recursive: true });
    for (const [file, text] of Object.entries(files)) fs.writeFileSync(path.join(dir, file), text);
    const git = (...args) =>
      spawnSync("git", ["-c", "user.name=demo", "-c", "user.email=demo@localhost", ...args], { cwd: dir });
    git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--message", "start");
    return dir;
  };
  const converge = (dir, ...args) =>
    spawn(process.execPath, [cli, ...args], { cwd: dir, env, stdio: ["ignore", "pipe", "inherit"] });
  const run = async (dir) => {
    const child = converge(dir, "run");
    child.stdout.resume();
    await once(child, "exit");
  };
  const withTask = (name, task, files = {}) =>
    project(name, { ...files, "converge.yaml": JSON.stringify(task, null, 2) });

  return {
    converge: (...args) => converge(folder, ...args),
    async make() {
      const demo = path.join(root, "examples", "demo");
      fs.cpSync(path.join(demo, "project"), path.join(folder, "shop"), { recursive: true });
      const task = fs.readFileSync(path.join(demo, "converge.yaml"), "utf8");
      await run(withTask("importer", IMPORTER, { "check.mjs": CHECK, "formats.json": "[]\n" }));
      await run(withTask("people", MIGRATION));
      await run(project("shop", { "converge.yaml": task }));
      const search = withTask("search", SEARCH, { "search.js": "export const fold = (text) => text;\n" });
      const working = converge(search, "run", "--detach");
      await once(working, "exit");
    },
    async remove() {
      await once(converge(folder, "stop", "last"), "exit");
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
