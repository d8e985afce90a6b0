// The files of one agent run, in its folder outside the workspace.
import path from "node:path";
import type { AgentRequest } from "#spec/agent";

/** All failures of the iteration before, where the prompt has no space for them. */
export const toldFile = (files: string): string => path.join(files, "told", "failing-tests.txt");

export function filesOf({ files }: AgentRequest) {
  const file = (name: string) => path.join(files, name);
  return {
    prompt: file("prompt.md"),
    stdout: file("stdout.log"),
    stderr: file("stderr.log"),
    /** What people read of an agent that prints JSON. */
    transcript: file("transcript.log"),
    /** What the agent may read besides its prompt. */
    told: path.dirname(toldFile(files)),
    /** Settings for the call; the agent cannot change them. */
    settings: file("settings"),
    /** The one place of ours that the agent writes to, and so a folder by itself. */
    report: file("report"),
  };
}
