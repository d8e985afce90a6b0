// Caches logs of other state folders and refreshes them on read. A line of text marks a gap.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Run } from "#spec/run";
import type { KeptLog, LogPiece, SharedLogs } from "#spec/shared-logs";
import type { Context } from "#state/context";
import { iterationOf, originOf } from "#state/log-names";
import { privateDir, replaceFile, writePrivate } from "#system/files";
import { lockHolder, takeLock } from "#system/lock";

/** How far a log is copied: `size` differs from `at` when a gap was left out. */
interface CopiedLog {
  readonly origin: string;
  readonly at: number;
  readonly size: number;
}

type Index = Readonly<Record<string, CopiedLog>>;

const INDEX = "index.json";
const LOCK = "log-copies";
/** How long to wait for another process that is copying; then its copies so far are shown. */
const LOCK_TIMEOUT_MS = 5_000;
const LOCK_POLL_MS = 20;
const REFRESH_MS = 1_000;

function readIndex(dir: string): Index {
  try {
    return JSON.parse(fs.readFileSync(path.join(dir, INDEX), "utf8"));
  } catch {
    return {};
  }
}

/** Appends the pieces to the copy. Idempotent: repeating it after a crash writes the same bytes at the same offsets. */
function write(file: string, from: CopiedLog, pieces: readonly LogPiece[]): CopiedLog {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = fs.constants;
  privateDir(path.dirname(file));
  const handle = fs.openSync(file, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
  let { at, size } = from;
  const add = (bytes: Uint8Array) => {
    for (let done = 0; done < bytes.length; )
      done += fs.writeSync(handle, bytes, done, bytes.length - done, size + done);
    size += bytes.length;
  };
  try {
    for (const piece of pieces) {
      if (piece.at > at) add(Buffer.from(`\n… ${piece.at - at} bytes left out …\n`));
      add(piece.bytes);
      at = piece.at + piece.bytes.length;
    }
    fs.ftruncateSync(handle, size);
  } finally {
    fs.closeSync(handle);
  }
  return { ...from, at, size };
}

/** The logs of one run in the store, and their copies in this state folder. */
interface LogCopies {
  readonly home: Context["home"];
  readonly logs: SharedLogs;
  readonly run: string;
  /** Only this iteration. */
  readonly iteration?: number | undefined;
}

async function copy({ home, logs, run }: LogCopies, log: KeptLog, known: CopiedLog | undefined) {
  const file = path.join(privateDir(home.copiesOf(run)), log.file);
  const canAppend = known?.origin === log.origin && known.at <= log.bytes && fs.existsSync(file);
  const from = canAppend ? known : { origin: log.origin, at: 0, size: 0 };
  const pieces = await logs.read(run, log.file, from.at);
  if (canAppend) return write(file, from, pieces);
  return replaceFile(file, (temporary) => write(temporary, from, pieces));
}

/** Runs `work` under the lock, or not at all when another process holds it until the timeout. */
async function withLock({ home }: Context, work: () => Promise<void>): Promise<void> {
  const until = performance.now() + LOCK_TIMEOUT_MS;
  // Check for a holder first: taking a lock that is held would block the whole process.
  while (lockHolder(home.locks, LOCK) !== undefined && performance.now() < until) await sleep(LOCK_POLL_MS);
  const lock = takeLock(home.locks, LOCK, LOCK);
  if (!lock.held) return;
  try {
    await work();
  } finally {
    lock.release();
  }
}

interface CopyState {
  /** Logs whose original is not in this state folder. */
  readonly remote: readonly KeptLog[];
  /** Those whose copy is missing or outdated. */
  readonly outdated: readonly KeptLog[];
  readonly index: Index;
}

async function readCopyState({ home, logs, run, iteration }: LogCopies): Promise<CopyState> {
  const dir = home.copiesOf(run);
  const origin = originOf(home);
  const isLocal = (log: KeptLog) =>
    log.origin === origin && fs.existsSync(path.join(home.runDir(run), log.file));
  const isWanted = ({ file }: KeptLog) => {
    const number = iterationOf(file);
    return number !== undefined && (iteration === undefined || number === iteration);
  };
  const wanted = (await logs.list(run)).filter(isWanted);
  // Delete copies that would hide the originals, made before the run was driven here.
  for (const { file } of wanted.filter(isLocal)) fs.rmSync(path.join(dir, file), { force: true });
  const remote = wanted.filter((log) => !isLocal(log));
  const index = readIndex(dir);
  const outdated = remote.filter(({ file, origin: theirs, bytes }) => {
    const known = index[file];
    return known?.origin !== theirs || known.at !== bytes || !fs.existsSync(path.join(dir, file));
  });
  return { remote, outdated, index };
}

/** Refreshes the copies of all logs of a run or one iteration. Returns the number of logs that other state folders have. */
export async function fetchLogs(app: Context, run: string, iteration?: number): Promise<number> {
  const { logs } = app.store;
  if (!logs) return 0;
  const copies: LogCopies = { home: app.home, logs, run, iteration };
  const { remote, outdated } = await readCopyState(copies);
  if (outdated.length === 0) return remote.length;
  await withLock(app, async () => {
    // Another process may have copied them in the meantime.
    const { outdated: remaining, index } = await readCopyState(copies);
    const copied = new Map(Object.entries(index));
    try {
      for (const log of remaining) copied.set(log.file, await copy(copies, log, copied.get(log.file)));
    } finally {
      writePrivate(
        path.join(privateDir(app.home.copiesOf(run)), INDEX),
        JSON.stringify(Object.fromEntries(copied)),
      );
    }
  });
  return remote.length;
}

/** Refreshes the newest logs of a run in the background, at most once per interval. Errors are ignored. */
export function freshCopies(app: Context): (run: Run) => void {
  let fetching: Promise<unknown> | undefined;
  let nextFetchAt = 0;
  return ({ id, iterations }) => {
    if (fetching || performance.now() < nextFetchAt) return;
    fetching = fetchLogs(app, id, iterations.at(-1)?.number ?? 0)
      .catch(() => {})
      .finally(() => {
        fetching = undefined;
        nextFetchAt = performance.now() + REFRESH_MS;
      });
  };
}
