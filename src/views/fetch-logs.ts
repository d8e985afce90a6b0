// Copies of the logs that other state folders have, brought up to date when somebody looks; a gap is a line that says so.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Run } from "#spec/run";
import type { KeptLog, LogPiece, SharedLogs } from "#spec/shared-logs";
import type { App } from "#state/context";
import { iterationOf, originOf } from "#state/log-names";
import { privateDir, writePrivate } from "#system/files";
import { lockHolder, takeLock } from "#system/lock";

/** How far a log is copied: `size` is less than `at` where something was left out. */
interface Copied {
  readonly origin: string;
  readonly at: number;
  readonly size: number;
}

type Index = Readonly<Record<string, Copied>>;

const INDEX = "index.json";
const LOCK = "log-copies";
/** While another process copies: what it has by then is shown. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 20;
const FRESH_MS = 1_000;

function readIndex(dir: string): Index {
  try {
    return JSON.parse(fs.readFileSync(path.join(dir, INDEX), "utf8"));
  } catch {
    return {};
  }
}

/** Adds the pieces to the copy. A second one that writes the same after a crash writes it in the same place. */
function write(file: string, from: Copied, pieces: readonly LogPiece[]): Copied {
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

async function copy(logs: SharedLogs, run: string, log: KeptLog, dir: string, known: Copied | undefined) {
  const file = path.join(dir, log.file);
  const isGoingOn = known?.origin === log.origin && known.at <= log.bytes && fs.existsSync(file);
  const from = isGoingOn ? known : { origin: log.origin, at: 0, size: 0 };
  const pieces = await logs.read(run, log.file, from.at);
  if (isGoingOn) return write(file, from, pieces);
  // Whoever reads the old one meanwhile finds a whole file at any moment.
  const anew = `${file}.anew`;
  fs.rmSync(anew, { force: true });
  const copied = write(anew, from, pieces);
  fs.renameSync(anew, file);
  return copied;
}

/** Nothing is done when another process has it all the time. */
async function locked({ home }: App, work: () => Promise<void>): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  // Looked at first, because to take a lock that somebody has is to wait for it with everything else.
  while (lockHolder(home.locks, LOCK) !== undefined && performance.now() < until) await sleep(PAUSE_MS);
  const lock = takeLock(home.locks, LOCK, LOCK);
  if (!lock.held) return;
  try {
    await work();
  } finally {
    lock.release();
  }
}

interface Standing {
  /** Logs that other state folders have, or this one had. */
  readonly elsewhere: readonly KeptLog[];
  /** Those of them whose copy here is not up to date. */
  readonly stale: readonly KeptLog[];
  readonly index: Index;
}

async function standing({ home }: App, logs: SharedLogs, run: string, iteration?: number): Promise<Standing> {
  const dir = home.copiesOf(run);
  const origin = originOf(home);
  const isHere = (log: KeptLog) =>
    log.origin === origin && fs.existsSync(path.join(home.runDir(run), log.file));
  const isWanted = ({ file }: KeptLog) => {
    const its = iterationOf(file);
    return its !== undefined && (iteration === undefined || its === iteration);
  };
  const wanted = (await logs.list(run)).filter(isWanted);
  // What was copied before the run was driven here is in the way of the original.
  for (const { file } of wanted.filter(isHere)) fs.rmSync(path.join(dir, file), { force: true });
  const elsewhere = wanted.filter((log) => !isHere(log));
  const index = readIndex(dir);
  const stale = elsewhere.filter(({ file, origin: theirs, bytes }) => {
    const known = index[file];
    return known?.origin !== theirs || known.at !== bytes || !fs.existsSync(path.join(dir, file));
  });
  return { elsewhere, stale, index };
}

/** Brings the copies of the logs of a run, or of one iteration, up to date; tells how many of these other state folders have. */
export async function fetchLogs(app: App, run: string, iteration?: number): Promise<number> {
  const { logs } = app.store;
  if (!logs) return 0;
  const { elsewhere, stale } = await standing(app, logs, run, iteration);
  if (stale.length === 0) return elsewhere.length;
  const dir = app.home.copiesOf(run);
  await locked(app, async () => {
    // Another process may have copied them meanwhile.
    const { stale: left, index } = await standing(app, logs, run, iteration);
    const copied = new Map(Object.entries(index));
    try {
      for (const log of left)
        copied.set(log.file, await copy(logs, run, log, privateDir(dir), copied.get(log.file)));
    } finally {
      writePrivate(path.join(privateDir(dir), INDEX), JSON.stringify(Object.fromEntries(copied)));
    }
  });
  return elsewhere.length;
}

/** Keeps the newest logs of a run fresh beside whatever else is done; what goes wrong shows in the logs alone. */
export function freshCopies(app: App): (run: Run) => void {
  let fetching: Promise<unknown> | undefined;
  let due = 0;
  return ({ id, iterations }) => {
    if (fetching || performance.now() < due) return;
    fetching = fetchLogs(app, id, iterations.at(-1)?.number ?? 0)
      .catch(() => {})
      .finally(() => {
        fetching = undefined;
        due = performance.now() + FRESH_MS;
      });
  };
}
