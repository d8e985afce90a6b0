// Telling the run something: what came of it is said in words, whether it went well or not.
import { useState } from "preact/hooks";
import { post, runPath, wordsOf } from "../../api.ts";
import { useRun } from "../run-context.ts";
import { type Answer, answerWords } from "./answer-words.ts";

export interface Tell {
  readonly busy: boolean;
  /** Why it was not taken. */
  readonly problem: string;
  /** True when it was. */
  readonly send: (action: string, body: object) => Promise<boolean>;
}

/** `onDone` gets a sentence for people. */
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
