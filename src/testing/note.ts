// Part of the memory suite: tests of memories that write notes.
import path from "node:path";
import type { Memory, NoteRequest } from "#spec/memory";
import type { Note } from "#spec/note";
import type { Run } from "#spec/run";
import { plain } from "#text/plain-text";
import { brokenRules, type TestApi } from "./api.ts";
import { uniqueRun } from "./unique-run.ts";

export type MakeMemory = () => Memory | Promise<Memory>;

/** Factories of memories whose summarizer has a given behaviour. Omit a behaviour that yours cannot have. */
export interface NoteExamples {
  /** Creates two new folders: the workspace, and one outside it for logs. */
  readonly folders: () => Pick<NoteRequest, "dir" | "files">;
  readonly fails?: MakeMemory;
  /** Its summarizer never returns by itself. */
  readonly hangs?: MakeMemory;
}

const MAX_NOTE_CHARS = 10_000;

function problemsOf({ text, usage, problem }: Note): readonly string[] {
  const numbers = Object.values(usage ?? {}).filter((value) => value !== undefined);
  return brokenRules([
    [text.length <= MAX_NOTE_CHARS, `the text has at most ${MAX_NOTE_CHARS} characters`],
    [text === plain(text), "the text is plain"],
    [(text.trim() === "") === (problem !== undefined), "the note has either a text or a problem"],
    [(problem ?? "why").trim() !== "", "the problem is not blank"],
    [(problem ?? "").length <= MAX_NOTE_CHARS, `the problem has at most ${MAX_NOTE_CHARS} characters`],
    [(problem ?? "") === plain(problem ?? "") && !problem?.includes("\n"), "the problem is one plain line"],
    [
      numbers.every((value) => Number.isFinite(value) && value >= 0),
      "usage has only non-negative finite numbers",
    ],
  ]);
}

/** The run with the note on its last iteration. */
function withNote(run: Run, note: Note): Run {
  const { iterations } = run;
  return {
    ...run,
    iterations: iterations.map((one, at) => (at === iterations.length - 1 ? { ...one, note } : one)),
  };
}

interface NoteSubject {
  readonly make: MakeMemory;
  /** Runs to write notes about, by title. */
  readonly runs: Readonly<Record<string, Run>>;
  readonly notes: NoteExamples;
}

export function testNotes(
  { make, runs, notes: { folders, fails, hangs } }: NoteSubject,
  { it, expect }: Pick<TestApi, "it" | "expect">,
): void {
  const [first] = Object.values(runs) as [Run];
  const writeNote = async (
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
    it(`writes a plain note of bounded length and recalls it: ${title}`, async () => {
      const note = await writeNote(make, run);
      expect(problemsOf(note)).toEqual([]);
      const recalled = await (await make()).recall(withNote(run, note));
      expect(plain(recalled)).toEqual(recalled);
      expect(recalled === "").toEqual(false);
    });

  it("reports that it is already cancelled", async () => {
    const note = await writeNote(make, first, { signal: AbortSignal.abort() });
    expect(problemsOf(note)).toEqual([]);
    expect(note.text).toEqual("");
  });

  it("does not throw when the log folder or the iteration does not exist", async () => {
    const files = path.join(folders().files, "gone", "for", "good");
    expect(problemsOf(await writeNote(make, first, { files }))).toEqual([]);
    expect(problemsOf(await writeNote(make, first, { iteration: 99 }))).toEqual([]);
  });

  if (fails)
    it("reports a failure as a note, and still recalls the iteration", async () => {
      const note = await writeNote(fails, first);
      expect(problemsOf(note)).toEqual([]);
      expect(note.text).toEqual("");
      expect((await (await make()).recall(withNote(first, note))) === "").toEqual(false);
    });

  if (hangs)
    it("returns when it is cancelled", async () => {
      const controller = new AbortController();
      const ended = writeNote(hangs, first, { signal: controller.signal });
      setTimeout(() => controller.abort(), 200);
      const note = await ended;
      expect(problemsOf(note)).toEqual([]);
      expect(note.text).toEqual("");
    });
}
