// The agent empties the tests, whatever the gate's command: they are restored, and the honest fix converges.
import { expect, it } from "vitest";
import { ranIn } from "../support/run-task.ts";
import { ofType, sandbox } from "../support/sandbox.ts";

const PYTHON = {
  "calc.py": "def add(a, b):\n    return a - b\n",
  "tests/test_calc.py":
    "import unittest\nfrom calc import add\n\nclass CalcTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n",
};
const UNITTEST = "python3 -m unittest discover -s tests";
const JS_TEST =
  'const test = require("node:test");\nconst assert = require("node:assert");\ntest("adds", () => assert.equal(require("./add.js")(1, 2), 3));\n';

interface Case {
  readonly gate: string;
  readonly files: Readonly<Record<string, string>>;
  readonly test: string;
  /** The bug, and the file that contains it. */
  readonly source: string;
  /** A steering file that the agent weakens with a command, and how the event names it. */
  readonly steering?: readonly [command: string, name: string];
}

const CASES: readonly Case[] = [
  {
    gate: "make test",
    files: { ...PYTHON, Makefile: `all:\n\ntest:\n\t${UNITTEST}\n` },
    test: "tests/test_calc.py",
    source: "calc.py",
    steering: ["printf 'all:\\n\\ntest:\\n\\ttrue\\n' > Makefile", "Makefile (target test)"],
  },
  {
    gate: "./run.sh",
    files: { ...PYTHON, "run.sh": `#!/bin/sh\n${UNITTEST}\n` },
    test: "tests/test_calc.py",
    source: "calc.py",
    steering: ["echo true > run.sh", "run.sh"],
  },
  {
    gate: "scripts/ci.sh",
    files: {
      ...PYTHON,
      "scripts/ci.sh": '#!/bin/sh\ncd "$(dirname "$0")/.."\n./scripts/unit.sh\n',
      "scripts/unit.sh": `#!/bin/sh\n${UNITTEST}\n`,
    },
    test: "tests/test_calc.py",
    source: "calc.py",
    steering: ["echo true > scripts/unit.sh", "scripts/unit.sh"],
  },
  {
    gate: "python3 manage.py test",
    files: {
      "calc.py": PYTHON["calc.py"],
      "shop/tests.py": PYTHON["tests/test_calc.py"],
      "manage.py": "import sys, unittest\nunittest.main('shop.tests', argv=['manage.py'])\n",
    },
    test: "shop/tests.py",
    source: "calc.py",
  },
  {
    gate: "npm test --workspaces",
    files: {
      "package.json": '{ "name": "root", "private": true, "workspaces": ["packages/*"] }\n',
      "packages/a/package.json": '{ "name": "a", "scripts": { "test": "node --test" } }\n',
      "packages/a/add.js": "module.exports = (a, b) => a - b;\n",
      "packages/a/add.test.js": JS_TEST,
    },
    test: "packages/a/add.test.js",
    source: "packages/a/add.js",
    steering: [
      "sed -i 's/node --test/true/' packages/a/package.json",
      "packages/a/package.json#scripts.test",
    ],
  },
];

it.each(CASES)("$gate", async ({ gate, files, test, source, steering }) => {
  const box = sandbox();
  box.write(files);
  box.commitAll();
  const cheat = `: > ${test}${steering ? `; ${steering[0]}` : ""}`;
  const agent = `if [ "$CONVERGE_ITERATION" = 1 ]; then ${cheat}; else sed -i 's/a - b/a + b/' ${source}; fi`;
  const ran = ranIn(
    box,
    await box.converge("run", "--json", "-p", "Fix it.", "--agent-cmd", agent, "--gate", gate),
  );
  const changed = ofType(ran.events, "protected.changed");
  expect(changed.map(({ iteration }) => iteration)).toEqual([1]);
  const expected = [test, ...(steering ? [steering[1]] : [])].sort();
  expect(changed[0]?.changes.map(({ path }) => path).sort()).toEqual(expected);
  expect(ran).toMatchObject({ outcome: "converged", iterations: 2 });
  expect(box.read(test)).toBe(files[test]);
});
