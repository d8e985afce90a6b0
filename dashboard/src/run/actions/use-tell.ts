// Telling the run something: what came of it is said in words, whether it went well or not.
import { useState } from "preact/hooks";
import { post, runPath, wordsOf } from "../../api.ts";
import { useRun } from "../run-context.ts";

export interface Tell {
  readonly busy: boolean;
  /** Why it was not taken. */
  readonly problem: string;
  /** True when it was. */
  readonly send: (action: string, body: object) => Promise<boolean>;
}

interface Answer {
  readonly heard?: boolean;
}

const UNHEARD = "Kept: nobody drives this run now, and it is read as soon as the run is resumed.";

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
      onDone(answer?.heard === false ? `${done} ${UNHEARD}` : done);
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
