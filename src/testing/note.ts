// What a memory that sums up must keep to besides: a part of the suite for memories.
import path from "node:path";
import type { Memory, NoteRequest } from "#spec/memory";
import type { Note } from "#spec/note";
import type { Run } from "#spec/run";
import { plain } from "#text/plain-text";
import { broken, type TestApi } from "./api.ts";
import { uniqueRun } from "./unique-run.ts";

type MakeMemory = () => Memory | Promise<Memory>;

/** Makes memories whose summarizer behaves in given ways; a way that yours cannot behave is left out. */
export interface NoteExamples {
  /** Two fresh folders: the workspace, and one outside of it for logs. */
  readonly folders: () => Pick<NoteRequest, "dir" | "files">;
  readonly fails?: MakeMemory;
  /** Its summarizer never answers by itself. */
  readonly hangs?: MakeMemory;
}

const LONGEST_NOTE = 10_000;

function problemsOf({ text, usage, problem }: Note): readonly string[] {
  const numbers = Object.values(usage ?? {}).filter((value) => value !== undefined);
  return broken([
    [text.length <= LONGEST_NOTE, `the text has at most ${LONGEST_NOTE} characters`],
    [text === plain(text), "the text is plain"],
    [(text.trim() === "") === (problem !== undefined), "there is a text, or a problem, and never both"],
    [(problem ?? "why").trim() !== "", "the problem says something"],
    [(problem ?? "").length <= LONGEST_NOTE, `the problem has at most ${LONGEST_NOTE} characters`],
    [(problem ?? "") === plain(problem ?? "") && !problem?.includes("\n"), "the problem is one plain line"],
    [numbers.every((value) => Number.isFinite(value) && value >= 0), "usage is what is known, never a guess"],
  ]);
}

/** The run once that is recorded. */
function noted(run: Run, note: Note): Run {
  const { iterations } = run;
  return {
    ...run,
    iterations: iterations.map((one, at) => (at === iterations.length - 1 ? { ...one, note } : one)),
  };
}

export function noteTests(
  make: MakeMemory,
  runs: Readonly<Record<string, Run>>,
  { folders, fails, hangs }: NoteExamples,
  { it, expect }: Pick<TestApi, "it" | "expect">,
): void {
  const [first] = Object.values(runs) as [Run];
  const sumUp = async (
    makeOne: MakeMemory,
    run: Run,
    { signal = new AbortController().signal, ...parts }: Partial<NoteRequest> & { signal?: AbortSignal } = {},
  ): Promise<Note> => {
    const { note } = await makeOne();
    if (!note) throw new Error("expected a memory with note()");
    const iteration = run.iterations.length;
    return note({ run: { ...run, id: uniqueRun() }, iteration, ...folders(), ...parts }, signal);
  };

  for (const [title, run] of Object.entries(runs))
    it(`sums up in plain, bounded text that it recalls: ${title}`, async () => {
      const note = await sumUp(make, run);
      expect(problemsOf(note)).toEqual([]);
      const recalled = await (await make()).recall(noted(run, note));
      expect(plain(recalled)).toEqual(recalled);
      expect(recalled === "").toEqual(false);
    });

  it("says so when it is cancelled beforehand", async () => {
    const note = await sumUp(make, first, { signal: AbortSignal.abort() });
    expect(problemsOf(note)).toEqual([]);
    expect(note.text).toEqual("");
  });

  it("does not throw when the folder for its logs is gone, or the iteration never was", async () => {
    const files = path.join(folders().files, "gone", "for", "good");
    expect(problemsOf(await sumUp(make, first, { files }))).toEqual([]);
    expect(problemsOf(await sumUp(make, first, { iteration: 99 }))).toEqual([]);
  });

  if (fails)
    it("tells of a failure as data, and recalls the iteration all the same", async () => {
      const note = await sumUp(fails, first);
      expect(problemsOf(note)).toEqual([]);
      expect(note.text).toEqual("");
      expect((await (await make()).recall(noted(first, note))) === "").toEqual(false);
    });

  if (hangs)
    it("ends when it is cancelled", async () => {
      const controller = new AbortController();
      const ended = sumUp(hangs, first, { signal: controller.signal });
      setTimeout(() => controller.abort(), 200);
      const note = await ended;
      expect(problemsOf(note)).toEqual([]);
      expect(note.text).toEqual("");
    });
}
