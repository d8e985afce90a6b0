// Validates the task on the server, debounced; an outdated answer is dropped.
import { useEffect, useState } from "preact/hooks";
import type { Task } from "#spec/task";
import { type Problem, post, wordsOf } from "../api.ts";
import type { Draft } from "./draft.ts";

type Answer =
  | { readonly valid: true; readonly task: Task; readonly warnings: readonly string[] }
  | { readonly valid: false; readonly problems: readonly Problem[] };

/** The newest answer; while `busy` it belongs to an earlier text. */
export type Validation = { readonly busy: boolean } & Finding;

export type Finding =
  | { readonly state: "unknown"; readonly reason: string }
  | { readonly state: "valid"; readonly task: Task; readonly warnings: readonly string[] }
  | { readonly state: "invalid"; readonly problems: readonly Problem[] };

const PAUSE_MS = 350;
const FIRST: Validation = { state: "unknown", reason: "", busy: true };

function read(answer: Answer): Finding {
  if (!answer.valid) return { state: "invalid", problems: answer.problems };
  return { state: "valid", task: answer.task, warnings: answer.warnings };
}

export function useValidation({ task, dir }: Draft): Validation {
  const [validation, setValidation] = useState<Validation>(FIRST);
  useEffect(() => {
    if (task.trim() === "" || dir.trim() === "") {
      const missing = dir.trim() === "" ? "the folder to work in" : "a task";
      setValidation({ state: "unknown", reason: `Enter ${missing} first.`, busy: false });
      return;
    }
    let overtaken = false;
    const show = (next: Finding) => !overtaken && setValidation({ ...next, busy: false });
    setValidation((before) => ({ ...before, busy: true }));
    const timer = setTimeout(() => {
      post<Answer>("/tasks/validate", { task, dir: dir.trim() }).then(
        (answer) => show(read(answer)),
        (error: unknown) => show({ state: "unknown", reason: wordsOf(error) }),
      );
    }, PAUSE_MS);
    return () => {
      overtaken = true;
      clearTimeout(timer);
    };
  }, [task, dir]);
  return validation;
}
