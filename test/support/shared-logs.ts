// A machine with its own state folder on a shared database, and logs that the test writes.
import fs from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { logSender } from "#observers/send-logs";
import type { Run } from "#spec/run";
import type { SharedLogs } from "#spec/shared-logs";
import { type Context, openContext } from "#state/context";
import { postgres } from "#stores/postgres/postgres-store";
import { exampleRun } from "#testing/run";
import { fetchLogs } from "#views/fetch-logs";
import { logFiles } from "#views/log-files";
import { temporary } from "./folders.ts";

export interface Desk {
  readonly app: Context;
  readonly logs: SharedLogs;
  readonly warnings: readonly string[];
  /** Starts sending logs as the driver of the run, in iteration 1 by default. `since` is the last event it knows. */
  driver(
    since?: number,
    parts?: { logs?: SharedLogs; run?: Run; graceMs?: number },
  ): { close(): Promise<void> };
  /** Appends to the named log of the run. */
  add(name: string, text: string | Uint8Array): void;
  file(name: string): string;
  /** Text of a log as users see it, and whether it is a fetched copy; undefined when there is no log. */
  shown(part?: string, iteration?: number): Promise<{ text: string; isCopy: boolean } | undefined>;
}

/** The run in its first iteration, and in its second before the gate has judged. */
const FIRST: Run = { ...exampleRun([{}]), id: "desk0run" };
export const RUN: Run = { ...exampleRun([{}, { status: {}, score: null }]), id: FIRST.id };

export function deskOn(url: string): Desk {
  const store = postgres(url);
  onTestFinished(() => store.close());
  const app = openContext({ CONVERGE_HOME: temporary() }, store);
  const { logs } = store;
  if (!logs) throw new Error("Postgres has no logs");
  const warnings: string[] = [];
  const file = (name: string) => path.join(app.home.runDir(RUN.id), name);
  return {
    app,
    logs,
    warnings,
    file,
    driver: (since = 1, parts = {}) => {
      const warn = (text: string) => void warnings.push(text);
      const options = { warn, everyMs: 10, ...(parts.graceMs && { graceMs: parts.graceMs }) };
      const sender = logSender(
        { app, run: { ...(parts.run ?? FIRST), seq: since }, logs: parts.logs ?? logs },
        options,
      );
      let closing: Promise<void> | undefined;
      const close = async () => {
        closing ??= sender.close?.();
        await closing;
      };
      onTestFinished(close);
      return { close };
    },
    add: (name, text) => {
      fs.mkdirSync(path.dirname(file(name)), { recursive: true });
      fs.appendFileSync(file(name), text);
    },
    shown: async (part = "agent", iteration = 1) => {
      await fetchLogs(app, RUN.id, iteration);
      const found = logFiles(app, RUN, iteration).find((log) => log.part === part);
      return (
        found && {
          text: fs.readFileSync(found.file, "utf8"),
          isCopy: found.file.startsWith(app.home.copiesOf(RUN.id)),
        }
      );
    },
  };
}
