// Command line of bench:replay.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { parse } from "yaml";

export const HELP = `Replays a past bug fix of a repository: takes the source part of the commit back in a clone, keeps its tests,
and runs Converge with the defaults and a scripted agent that errs, cheats and idles before it applies the fix.

  npm run bench:replay -- --repo DIR --fix COMMIT --gate CMD [options]
  npm run bench:replay -- --list FILE [--data DIR] [options]

  --repo DIR       a git repository, with or without a work tree
  --fix COMMIT     the commit that fixed a bug and changed source and tests
  --gate CMD       the project's own test command
  --setup CMD      runs once in the clone before the gate, for example "npm ci"
  --failing NAME   a test that fails without the fix; repeat it. Default: what the gate's verdict says
  --seeds N        how many orders of bad iterations to draw (default 3)
  --first-seed N   the first seed (default 1)
  --list FILE      YAML or JSON: a list of {name, repo, fix, gate, setup, failing, runner}
  --only NAME      of the list, the rows whose name contains NAME; repeat it
  --data DIR       where the repositories of the list lie: DIR/OWNER+NAME/repo or DIR/NAME
  --md, --json     print the table as Markdown, or the rows as JSON
  --keep           keep the clones and the state folders, and say where they are
  --no-build       use the build that is there
  --help

Exit code 0: every row is as wanted. 1: a row is not, or a fix could not be replayed.

Examples:
  npm run bench:replay -- --repo ~/src/qs --fix 21f80b3 --setup "npm install" --gate "npx tape 'test/**/*.js'"
  npm run bench:replay -- --list bench/replay/projects.yaml --data ~/snapshots --seeds 2 --md`;

const FLAGS = {
  repo: { type: "string" },
  fix: { type: "string" },
  gate: { type: "string" },
  setup: { type: "string" },
  failing: { type: "string", multiple: true },
  seeds: { type: "string", default: "3" },
  "first-seed": { type: "string", default: "1" },
  list: { type: "string" },
  only: { type: "string", multiple: true },
  data: { type: "string" },
  md: { type: "boolean" },
  json: { type: "boolean" },
  keep: { type: "boolean" },
  "no-build": { type: "boolean" },
  help: { type: "boolean", short: "h" },
};

function fail(message) {
  console.error(`bench:replay: ${message}; see npm run bench:replay -- --help`);
  process.exit(2);
}

function positive(name, text) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) fail(`--${name}: expected a whole number from 1, got "${text}"`);
  return value;
}

/** `repo` of a list is a path, or a name below --data. */
function findRepository(repo, data) {
  const places = data
    ? [
        path.join(data, repo.replace("/", "+"), "repo"),
        path.join(data, repo),
        path.join(data, path.basename(repo)),
      ]
    : [];
  const found = [...places, repo].find((place) => fs.existsSync(place));
  if (!found) fail(`there is no repository at ${[...places, repo].join(" or ")}`);
  return path.resolve(found);
}

function toFix(row, data) {
  for (const key of ["repo", "fix", "gate"])
    if (!row[key]) fail(`expected "${key}" in ${JSON.stringify(row)}`);
  const name = row.name ?? path.basename(row.repo.replace(/\/(repo|\.git)\/?$/, ""));
  return { ...row, fix: String(row.fix), name, repo: findRepository(row.repo, data) };
}

function readFixes(values) {
  if (!values.list) return [toFix(values)];
  const rows = parse(fs.readFileSync(values.list, "utf8"));
  if (!Array.isArray(rows)) fail(`${values.list}: expected a list of fixes`);
  const isWanted = ({ name, repo }) => values.only?.some((part) => (name ?? repo).includes(part)) ?? true;
  return rows.filter(isWanted).map((row) => toFix(row, values.data));
}

export function readOptions(args) {
  let values;
  try {
    ({ values } = parseArgs({ args, options: FLAGS }));
  } catch (error) {
    fail(error.message);
  }
  if (values.help) return { help: true };
  if (!values.list && !(values.repo && values.fix && values.gate))
    fail("expected --repo, --fix and --gate, or --list");
  const first = positive("first-seed", values["first-seed"]);
  return {
    fixes: readFixes(values),
    seeds: Array.from({ length: positive("seeds", values.seeds) }, (_, index) => first + index),
    format: values.json ? "json" : values.md ? "md" : "text",
    keep: values.keep ?? false,
    noBuild: values["no-build"] ?? false,
  };
}
