// Conformance suite for memories. Runs with any test runner that has describe, it and expect.
import { plain } from "#text/plain-text";
import type { TestApi } from "./api.ts";
import { type MakeMemory, type NoteExamples, testNotes } from "./note.ts";
import { type ExampleIteration, exampleRun, exampleVerdict } from "./run.ts";

const longOutput = `${"a long line of output ".repeat(500)}\n`.repeat(20);

function iteration(text: string): ExampleIteration {
  const verdict = exampleVerdict({
    summary: text,
    failures: [{ id: text, message: text, location: text }],
    evidence: { command: text, exitCode: 1, stdout: text, stderr: text },
  });
  return { message: text, verdicts: [{ gate: "tests", verdict }] };
}

const CONTROL_CHARS = "\u001b[2J\u001b]0;title\u0007\u202egnol\u200b \u0000\r\n";

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
  "a run with huge output": exampleRun(Array(10).fill(iteration(longOutput))),
  "output full of control characters": exampleRun([iteration(CONTROL_CHARS)]),
  "huge notes full of control characters": exampleRun(
    Array(10).fill({ ...iteration("failed"), note: { text: CONTROL_CHARS + longOutput } }),
  ),
  "iterations without a summary": exampleRun(
    Array(10).fill({ ...iteration("failed"), note: { text: "", problem: CONTROL_CHARS + longOutput } }),
  ),
};

export interface MemoryExamples {
  /** Creates a new memory. */
  readonly make: MakeMemory;
  /** Maximum number of characters that it may recall; 50 000 if omitted. */
  readonly bound?: number;
  /** For a memory with `note`: its folders and its failing variants. */
  readonly notes?: NoteExamples;
}

/** `examples` may be just a function that creates a new memory. */
export function memoryConformance(
  name: string,
  examples: MakeMemory | MemoryExamples,
  { describe, it, expect }: TestApi,
): void {
  const { make, bound = 50_000, notes } = typeof examples === "function" ? { make: examples } : examples;
  describe(`${name} conforms to the memory contract`, () => {
    it("recalls nothing for a run without iterations", async () => {
      expect(await (await make()).recall(exampleRun([]))).toEqual("");
    });

    for (const [title, run] of Object.entries(runs)) {
      it(`recalls the same text again, without changing the run: ${title}`, async () => {
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

    if (notes) testNotes({ make, runs, notes }, { it, expect });
  });
}
