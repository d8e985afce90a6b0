// What every memory must keep to; run it against your own with any test runner that has describe, it and expect.
import type { Memory } from "#spec/memory";
import { plain } from "#text/plain-text";
import type { TestApi } from "./api.ts";
import { type NoteExamples, noteTests } from "./note.ts";
import { type ExampleIteration, exampleRun, exampleVerdict } from "./run.ts";

const flood = `${"a long line of output ".repeat(500)}\n`.repeat(20);

function iteration(text: string): ExampleIteration {
  const verdict = exampleVerdict({
    summary: text,
    failures: [{ id: text, message: text, location: text }],
    evidence: { command: text, exitCode: 1, stdout: text, stderr: text },
  });
  return { message: text, verdicts: [{ gate: "tests", verdict }] };
}

const CONTROLS = "\u001b[2J\u001b]0;title\u0007\u202egnol\u200b \u0000\r\n";

const runs = {
  "one failed iteration": exampleRun([iteration("1 of 2 tests failed")]),
  "an agent that crashed": exampleRun([{ ok: false, status: {}, score: null, tree: null }]),
  "iterations without verdicts": exampleRun([{ status: {} }, { status: {} }]),
  "gates that errored, waited or were skipped": exampleRun([
    { status: "errored" },
    { status: "waiting" },
    { status: "skipped" },
  ]),
  "a long run": exampleRun(Array.from({ length: 300 }, (_, index) => iteration(`attempt ${index}`))),
  "a run that floods": exampleRun(Array(10).fill(iteration(flood))),
  "output full of controls": exampleRun([iteration(CONTROLS)]),
  "notes that flood and are full of controls": exampleRun(
    Array(10).fill({ ...iteration("failed"), note: { text: CONTROLS + flood } }),
  ),
  "iterations that could not be summed up": exampleRun(
    Array(10).fill({ ...iteration("failed"), note: { text: "", problem: CONTROLS + flood } }),
  ),
};

/**
 * `make` gives a fresh memory; `bound` is the most characters it may ever recall. For a memory with `note`,
 * `notes` says where it may work and how it fails.
 */
export function memoryConformance(
  name: string,
  make: () => Memory | Promise<Memory>,
  { describe, it, expect }: TestApi,
  bound = 50_000,
  notes?: NoteExamples,
): void {
  describe(`${name} keeps the contract of a memory`, () => {
    it("recalls nothing of a run without iterations", async () => {
      expect(await (await make()).recall(exampleRun([]))).toEqual("");
    });

    for (const [title, run] of Object.entries(runs)) {
      it(`recalls the same again, leaving the run as it is: ${title}`, async () => {
        const memory = await make();
        const first = await memory.recall(run);
        for (const other of Object.values(runs)) await memory.recall(other);
        expect(await memory.recall(run)).toEqual(first);
        expect(await (await make()).recall(run)).toEqual(first);
      });

      it(`recalls plain text of at most ${bound} characters: ${title}`, async () => {
        const text = await (await make()).recall(run);
        expect(text.length <= bound ? "bounded" : `${text.length} characters`).toEqual("bounded");
        expect(plain(text)).toEqual(text);
      });
    }

    if (notes) noteTests(make, runs, notes, { it, expect });
  });
}
