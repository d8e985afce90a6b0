// View: start a run from a task file written in the browser.
import "./start.css";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Summary } from "#spec/overview";
import { ApiError, type Problem, post, wordsOf } from "../api.ts";
import { Notice } from "../parts/notice.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { go, href } from "../router.ts";
import { type Draft, forgetDraft, keepDraft, readDraft } from "./draft.ts";
import { Editor } from "./editor.tsx";
import { EXAMPLES } from "./examples.ts";
import { Findings } from "./findings.tsx";
import { useValidation } from "./use-validation.ts";

/** Offset of a problem in the text; lines and columns count from 1. */
function offsetOf(text: string, { line = 1, column = 1 }: Problem): number {
  const before = text.split("\n").slice(0, line - 1);
  return before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
}

function placeCaret(area: HTMLTextAreaElement | null, at: number): void {
  area?.focus();
  area?.setSelectionRange(at, at);
}

/** The folders of the latest runs, the newest first. */
function useKnownFolders(): readonly string[] {
  const { value: known } = useAnswer<{ runs: readonly Summary[] }>("/runs?limit=50");
  return useMemo(() => [...new Set(known?.runs.map(({ workspace }) => workspace) ?? [])], [known]);
}

function useStart({ task, dir }: Draft) {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>();
  const start = async () => {
    setBusy(true);
    setRefusal(undefined);
    try {
      const { id } = await post<{ id: string }>("/runs", { task, dir: dir.trim() });
      forgetDraft();
      go(href("runs", id));
    } catch (error) {
      setRefusal(error);
      setBusy(false);
    }
  };
  return { busy, refusal, start };
}

interface FolderFieldProps {
  readonly value: string;
  readonly folders: readonly string[];
  readonly onChange: (dir: string) => void;
}

function FolderField({ value, folders, onChange }: FolderFieldProps) {
  return (
    <>
      <label class="grow">
        <span>Folder to work in</span>
        <input
          required
          list="known-folders"
          autocomplete="off"
          spellcheck={false}
          placeholder="/path/to/project"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      <datalist id="known-folders">
        {folders.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
    </>
  );
}

function ChooseExample({ onChoose }: { onChoose: (task: string) => void }) {
  return (
    <label>
      <span>Start from an example</span>
      <select
        value=""
        onChange={(event) => {
          const example = EXAMPLES.find(({ name }) => name === event.currentTarget.value);
          if (example) onChoose(example.text);
          event.currentTarget.value = "";
        }}
      >
        <option value="">Choose …</option>
        {EXAMPLES.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

function StartRefusal({ error }: { error: unknown }) {
  return (
    <Notice tone="bad" title="The run was not started">
      <p>{wordsOf(error)}</p>
      {error instanceof ApiError && error.problems.map(({ message }) => <p key={message}>{message}</p>)}
    </Notice>
  );
}

export default function StartView() {
  const [draft, setDraft] = useState(readDraft);
  const area = useRef<HTMLTextAreaElement>(null);
  const validation = useValidation(draft);
  const { busy, refusal, start } = useStart(draft);
  const folders = useKnownFolders();
  const change = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    keepDraft(next);
  };

  // Suggest the folder of the newest run until the user enters another one.
  const [newest = ""] = folders;
  useEffect(() => {
    setDraft((before) => (before.dir === "" ? { ...before, dir: newest } : before));
  }, [newest]);

  const problems = validation.state === "invalid" ? validation.problems : [];
  const marked = new Set(problems.flatMap(({ line }) => line ?? []));
  const goTo = (problem: Problem) => placeCaret(area.current, offsetOf(draft.task, problem));
  return (
    <form
      class="start"
      aria-label="Start a run"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <h1>Start a run</h1>
      <div class="row">
        <FolderField value={draft.dir} folders={folders} onChange={(dir) => change({ dir })} />
        <ChooseExample onChoose={(task) => change({ task })} />
      </div>
      <div class="start-body">
        <div>
          <Editor
            text={draft.task}
            onText={(task) => change({ task })}
            marked={marked}
            invalid={problems.length > 0}
            describedBy="task-findings"
            area={area}
          />
          <p class="soft start-hint">Tab indents. Press Escape, then Tab, to leave the editor.</p>
        </div>
        <div class="start-side">
          <Findings id="task-findings" validation={validation} onGo={goTo} />
          {refusal !== undefined && <StartRefusal error={refusal} />}
          <button type="submit" class="primary" disabled={busy || validation.state === "invalid"}>
            {busy ? "Starting …" : "Start the run"}
          </button>
        </div>
      </div>
    </form>
  );
}
