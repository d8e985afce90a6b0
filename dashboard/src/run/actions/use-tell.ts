// Hook that sends a command to the run and reports the result as a sentence.
import { useState } from "preact/hooks";
import { post, runPath, wordsOf } from "../../api.ts";
import { useRun } from "../run-context.ts";
import { type Answer, answerWords } from "./answer-words.ts";

export interface Tell {
  readonly busy: boolean;
  /** Why the last command failed. */
  readonly problem: string;
  /** True when the command was accepted. */
  readonly send: (action: string, body: object) => Promise<boolean>;
}

/** `onDone` gets a sentence to show. */
export function useTell(done: string, onDone: (words: string) => void): Tell {
  const { overview, refresh } = useRun();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const send = async (action: string, body: object) => {
    setBusy(true);
    setProblem("");
    try {
      const answer = await post<Answer | undefined>(runPath(overview.id, `/${action}`), body);
      onDone(answerWords(answer, done));
      refresh();
      return true;
    } catch (error) {
      setProblem(wordsOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, send };
}
