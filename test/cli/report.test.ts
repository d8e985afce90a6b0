import { describe, expect, it } from "vitest";
import { junitXml } from "#parsers/junit-xml";
import { runTask } from "../support/run-task.ts";

const EVIL = "<img src=x onerror=alert(1)> @evil `|`";

const TASK = {
  prompt: `Say yes. ${EVIL}`,
  agent: {
    type: "command",
    command: `echo '${EVIL}' | tee -a notes.md; if [ "$CONVERGE_ITERATION" = 2 ]; then echo yes > answer; fi; echo '{"costUsd":0.25}' > "$CONVERGE_USAGE_FILE"`,
  },
  gates: [
    { name: "answer", command: `grep -q yes answer || { echo '${EVIL}'; exit 1; }` },
    { name: "notes", command: "test -s notes.md" },
  ],
  strategy: { type: "fixed", iterations: 3 },
};

describe("converge report", () => {
  it("writes HTML, Markdown and JUnit XML for a real run", async () => {
    const { box, outcome } = await runTask(TASK, { answer: "no\n" });
    expect(outcome).toBe("converged");
    const all = await box.converge("report", "last", "--html", "out.html", "--md", "-", "--junit");
    expect({ code: all.code, stderr: all.stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^wrote the report of run (\w+) to out.html\nwrote the report of run \1 to converge-\1.xml\n$/,
      ),
    });
    const id = /run (\w+) to/.exec(all.stderr)?.[1];
    const page = box.read("out.html");
    for (const part of ["converged", 'class="overall"', "$0.50", "+yes", "Iteration 2", "all gates pass"])
      expect(page).toContain(part);
    expect(page).not.toContain("<img");
    expect(all.stdout).toMatch(/^## ✅ Converge: converged\n/);
    expect(all.stdout).toContain("| `answer` | ✔ passed | – |");
    expect(all.stdout).toContain("cost: $0.50");
    expect(junitXml(box.read(`converge-${id}.xml`))?.counts).toMatchObject({ total: 2, passed: 2 });

    const plain = await box.converge("report");
    expect(plain.stdout).toBe(`wrote the report of run ${id} to converge-${id}.html\n`);
    expect(box.exists(`converge-${id}.html`)).toBe(true);
    const twice = await box.converge("report", "last", "--html", "-", "--md", "-");
    expect([twice.code, twice.stderr]).toEqual([
      2,
      "converge: cannot write two forms of the report to standard output; name another file\n",
    ]);
  });
});
