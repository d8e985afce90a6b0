// Uploads new log output of a run to shared storage, in the background, so that every machine can read it.
import fs from "node:fs";
import path from "node:path";
import type { Observer } from "#spec/observer";
import type { Run } from "#spec/run";
import { type KeptLog, MOST_LOGS, type SharedLogs } from "#spec/shared-logs";
import type { Context } from "#state/context";
import { nameOf, originOf } from "#state/log-names";
import { identityOf, sizeOf } from "#system/files";
import { withTimeout } from "#system/timeout";
import { originalLogs } from "#views/log-files";
import { hasSameBytes, piecesOf } from "./log-pieces.ts";

export interface SenderOptions {
  readonly warn: (text: string) => void;
  readonly everyMs?: number;
  /** How long the rest may take after the run is over. */
  readonly graceMs?: number;
}

const EVERY_MS = 1_000;
const GRACE_MS = 5_000;
/** Enough bytes to tell one log from another. */
const SAMPLE_BYTES = 4_096;

/** How far a log is uploaded, and which file it was. */
interface Uploaded {
  at: number;
  identity: string;
}

/** The run whose logs are uploaded, and where to. */
interface Upload {
  readonly app: Context;
  readonly run: Run;
  readonly logs: SharedLogs;
}

/** Whether the stored log is a prefix of the local file. */
async function isPrefixOf({ logs, run }: Upload, { file: name, bytes }: KeptLog, file: string) {
  const size = sizeOf(file);
  if (size <= bytes) return size === bytes;
  const sample = await logs.read(run.id, name, Math.max(0, bytes - SAMPLE_BYTES));
  return sample.every((piece) => hasSameBytes(file, piece));
}

/** Uploads new output of all logs from an iteration on; `abort` stops it at the next piece. */
function createUploader(upload: Upload, abort: AbortController) {
  const { app, run, logs } = upload;
  const { home } = app;
  const origin = originOf(home);
  const sent = new Map<string, Uploaded>();
  // Sizes of the logs this state folder already has; another machine may have redone some of them since.
  const before = new Map(
    originalLogs(app, run, 0).map(({ file }) => [nameOf(home, run.id, file), sizeOf(file)]),
  );
  let storedLogs: ReadonlyMap<string, KeptLog> | undefined;

  /** Returns undefined when the stored log is newer, as long as nobody writes to ours. */
  const begin = async (name: string, file: string): Promise<Uploaded | undefined> => {
    const stored = storedLogs?.get(name);
    const isOurs = stored?.origin === origin;
    if (stored && !isOurs && before.get(name) === sizeOf(file)) return undefined;
    // From now on the original is local, so delete the copy.
    fs.rmSync(path.join(home.copiesOf(run.id), name), { force: true });
    const at = isOurs && (await isPrefixOf(upload, stored, file)) ? stored.bytes : 0;
    return { at, identity: identityOf(file) };
  };

  const send = async (file: string) => {
    const name = nameOf(home, run.id, file);
    const known = sent.get(name) ?? (await begin(name, file));
    if (!known) return;
    sent.set(name, known);
    const [identity, size] = [identityOf(file), sizeOf(file)];
    if (identity !== known.identity || size < known.at) Object.assign(known, { identity, at: 0 });
    const source = { file: name, origin, since: run.seq };
    for (const piece of piecesOf(file, known.at, size)) {
      if (abort.signal.aborted) return;
      // Another machine has taken the run over, so nothing more may be uploaded from here.
      if (!(await logs.keep(run.id, source, [piece]))) return abort.abort();
      known.at = piece.at + piece.bytes.length;
    }
  };

  return async (now: Run, from: number): Promise<void> => {
    storedLogs ??= new Map((await logs.list(run.id)).map((log) => [log.file, log]));
    for (const { file } of originalLogs(app, now, from).slice(-MOST_LOGS)) {
      if (abort.signal.aborted) return;
      await send(file);
    }
  };
}

/** Uploads the logs of the run that this process drives. Never throws; warns once. */
export function logSender(upload: Upload, options: SenderOptions): Observer {
  const { app, run } = upload;
  const abort = new AbortController();
  const sendFrom = createUploader(upload, abort);
  let now = run;
  // Iterations before this one are uploaded.
  let from = 0;
  let sending: Promise<void> | undefined;
  let hasWarned = false;
  const warnOnce = (why: string) => {
    if (!hasWarned)
      options.warn(
        `other machines cannot read all logs of run ${run.id} (${why}). They are in ${app.home.runDir(run.id)}; sending them is retried while the run is driven here`,
      );
    hasWarned = true;
  };
  const sendNew = async () => {
    const last = now.iterations.at(-1)?.number ?? 0;
    await sendFrom(now, from);
    from = last;
  };
  const attempt = (work: Promise<void>) => work.catch((error: Error) => warnOnce(error.message));
  const timer = setInterval(() => {
    sending ??= attempt(sendNew()).finally(() => {
      sending = undefined;
    });
  }, options.everyMs ?? EVERY_MS);
  timer.unref();
  const sendRest = async () => {
    await sending;
    await sendFrom(now, 0);
  };
  return {
    saw: (_event, seen) => {
      now = seen;
    },
    close: async () => {
      clearInterval(timer);
      const graceMs = options.graceMs ?? GRACE_MS;
      if (!(await withTimeout(graceMs, attempt(sendRest())))) warnOnce(`not sent within ${graceMs / 1000} s`);
      abort.abort();
    },
  };
}
