// Paths of one agent run's files, in its folder outside the workspace.
import path from "node:path";
import type { AgentRequest } from "#spec/agent";

/** All failures of the previous iteration, when they do not fit into the prompt. */
export const toldFile = (files: string): string => path.join(files, "told", "failing-tests.txt");

export function filesOf({ files }: AgentRequest) {
  const file = (name: string) => path.join(files, name);
  return {
    prompt: file("prompt.md"),
    stdout: file("stdout.log"),
    stderr: file("stderr.log"),
    /** Readable output of an agent that prints JSON. */
    transcript: file("transcript.log"),
    /** A folder that the agent may read besides its prompt. */
    told: path.dirname(toldFile(files)),
    /** Settings of the call; read-only for the agent. */
    settings: file("settings"),
    /** The only folder of ours that the agent may write to. */
    report: file("report"),
  };
}
