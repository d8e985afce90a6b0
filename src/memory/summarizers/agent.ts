// Uses an agent as a summarizer. It works in an empty folder, so that it cannot touch the workspace.
import path from "node:path";
import type { Agent } from "#spec/agent";
import { privateDir, removeAll } from "#system/files";
import { noSummary, type Summarizer } from "./summarizer.ts";

export function agent(by: Agent): Summarizer {
  return async ({ run, iteration, prompt, files, timeoutMs }, signal) => {
    const dir = path.join(files, "empty");
    removeAll(dir);
    privateDir(dir);
    const request = { run, iteration, prompt, dir, files, timeoutMs, access: "read" as const };
    try {
      for await (const event of by.run(request, signal)) {
        if (event.type !== "finished") continue;
        const { ok, failure, reason, message, usage } = event.result;
        if (ok) return { text: message, usage };
        return { ...noSummary(`${by.name} ${failure}: ${reason ?? "no reason given"}`), usage };
      }
      return noSummary(`${by.name} ended without a result`);
    } finally {
      removeAll(dir);
    }
  };
}
