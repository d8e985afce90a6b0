// A desk: a state folder of its own on a database that others use too, with logs that a test writes.
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
  /** What was warned of. */
  readonly warnings: readonly string[];
  /** A process that drives the run from now on, at its first iteration unless told; `since` is the last event it knows. */
  driver(
    since?: number,
    parts?: { logs?: SharedLogs; run?: Run; graceMs?: number },
  ): { close(): Promise<void> };
  /** Adds to a log of the run, by its name. */
  add(name: string, text: string | Uint8Array): void;
  file(name: string): string;
  /** What is shown of a log: its text, and whether it is a copy; undefined when there is none. */
  shown(part?: string, iteration?: number): Promise<{ text: string; isCopy: boolean } | undefined>;
}

/** A run in its first iteration, and in its second, when its gate is to judge. */
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
