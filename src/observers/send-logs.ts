// Sends what is added to the logs of a run to where every machine can read it: beside the run, and never in its way.
import fs from "node:fs";
import path from "node:path";
import type { Observer } from "#spec/observer";
import type { Run } from "#spec/run";
import { type KeptLog, MOST_LOGS, type SharedLogs } from "#spec/shared-logs";
import type { App } from "#state/context";
import { nameOf, originOf } from "#state/log-names";
import { identityOf, sizeOf } from "#system/files";
import { within } from "#system/timeout";
import { originalLogs } from "#views/log-files";
import { piecesOf, says } from "./log-pieces.ts";

export interface SenderOptions {
  readonly warn: (text: string) => void;
  readonly everyMs?: number;
  /** How long the rest may take once the run is over. */
  readonly graceMs?: number;
}

const EVERY_MS = 1_000;
const GRACE_MS = 5_000;
/** Enough to tell one log from another. */
const SAMPLE_BYTES = 4_096;

/** How far a log is sent, and which file that was. */
interface Sent {
  at: number;
  identity: string;
}

/** What is kept of it is the beginning of the file as it is here now. */
async function goesOn(logs: SharedLogs, run: string, { file: name, bytes }: KeptLog, file: string) {
  const size = sizeOf(file);
  if (size <= bytes) return size === bytes;
  const sample = await logs.read(run, name, Math.max(0, bytes - SAMPLE_BYTES));
  return sample.every((piece) => says(file, piece));
}

/** Sends what is new in the logs from an iteration on; `leave` ends it at the next piece. */
function sender(app: App, run: Run, logs: SharedLogs, leave: AbortController) {
  const { home } = app;
  const origin = originOf(home);
  const sent = new Map<string, Sent>();
  // What this state folder has from earlier; some of it may have been done again elsewhere since.
  const before = new Map(
    originalLogs(app, run, 0).map(({ file }) => [nameOf(home, run.id, file), sizeOf(file)]),
  );
  let kept: ReadonlyMap<string, KeptLog> | undefined;

  /** Undefined: the log there is the newer one, as long as nobody writes to ours. */
  const begin = async (name: string, file: string): Promise<Sent | undefined> => {
    const there = kept?.get(name);
    const isOurs = there?.origin === origin;
    if (there && !isOurs && before.get(name) === sizeOf(file)) return undefined;
    // From now on the original is here.
    fs.rmSync(path.join(home.copiesOf(run.id), name), { force: true });
    const at = isOurs && (await goesOn(logs, run.id, there, file)) ? there.bytes : 0;
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
      if (leave.signal.aborted) return;
      // Somebody has taken the run over: what is still written here is nobody's.
      if (!(await logs.keep(run.id, source, [piece]))) return leave.abort();
      known.at = piece.at + piece.bytes.length;
    }
  };

  return async (now: Run, from: number): Promise<void> => {
    kept ??= new Map((await logs.list(run.id)).map((log) => [log.file, log]));
    for (const { file } of originalLogs(app, now, from).slice(-MOST_LOGS)) {
      if (leave.signal.aborted) return;
      await send(file);
    }
  };
}

/** For the run that this process drives from now on. Throws nothing, whatever goes wrong; says so once. */
export function logSender(app: App, run: Run, logs: SharedLogs, options: SenderOptions): Observer {
  const leave = new AbortController();
  const sendFrom = sender(app, run, logs, leave);
  let now = run;
  // Iterations before this one are sent.
  let from = 0;
  let sending: Promise<void> | undefined;
  let isTold = false;
  const complain = (why: string) => {
    if (!isTold)
      options.warn(
        `other machines cannot read all logs of run ${run.id} (${why}); they are in ${app.home.runDir(run.id)}, and sending them is tried again while the run is driven here`,
      );
    isTold = true;
  };
  const look = async () => {
    const last = now.iterations.at(-1)?.number ?? 0;
    await sendFrom(now, from);
    from = last;
  };
  const attempt = (work: Promise<void>) => work.catch((error: Error) => complain(error.message));
  const timer = setInterval(() => {
    sending ??= attempt(look()).finally(() => {
      sending = undefined;
    });
  }, options.everyMs ?? EVERY_MS);
  timer.unref();
  const rest = async () => {
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
      if (!(await within(graceMs, attempt(rest())))) complain(`not sent within ${graceMs / 1000} s`);
      leave.abort();
    },
  };
}
