// Exports a run as one tar file: record with hashes, logs, snapshots. Streams everything but the record.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { namedTrees } from "#rules/named-trees";
import { UsageError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { Kept } from "#spec/store";
import { driverOf } from "#state/acquire-run";
import type { Context } from "#state/context";
import { loadRun } from "#state/load-run";
import { iterationOf } from "#state/log-names";
import { privateDir } from "#system/files";
import { VERSION } from "#system/version";
import { walk } from "#system/walk";
import { fetchLogs } from "#views/fetch-logs";
import { packTrees } from "#workspaces/pack";
import { fetchSnapshots } from "../placement/fetch-snapshots.ts";
import {
  EVENTS,
  FORMAT,
  FORMAT_VERSION,
  type ListedFile,
  LOGS,
  MANIFEST,
  type Manifest,
  SNAPSHOTS,
} from "./manifest.ts";
import { canHold, tarEnd, tarHeader, tarPadding } from "./tar.ts";

interface Content {
  readonly name: string;
  readonly bytes: number;
  /** Reads only the first `bytes`: a log may grow meanwhile. */
  read(): AsyncIterable<Buffer>;
}

export interface Exported {
  readonly run: string;
  readonly events: number;
  readonly snapshots: number;
  readonly logs: number;
  readonly leftOut: number;
}

const PIECE_BYTES = 1_048_576;

function fromText(name: string, text: string): Content {
  const bytes = Buffer.from(text);
  return {
    name,
    bytes: bytes.length,
    read: async function* () {
      yield bytes;
    },
  };
}

/** Opens the file without following a symlink and without blocking on a FIFO. */
function fromFile(name: string, file: string, bytes: number): Content {
  const read = async function* () {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    const handle = await fs.promises.open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      for (let at = 0; at < bytes; ) {
        const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, bytes - at));
        const { bytesRead } = await handle.read(piece, 0, piece.length, at);
        if (bytesRead === 0) throw new UsageError(`${file} became shorter while it was read; try again`);
        at += bytesRead;
        yield piece.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  };
  return { name, bytes, read };
}

/** All regular files under the folder that tar can hold; the others are counted. */
function logsIn(dir: string): { readonly logs: Content[]; readonly leftOut: number } {
  if (!fs.existsSync(dir)) return { logs: [], leftOut: 0 };
  const logs: Content[] = [];
  let leftOut = 0;
  for (const { name: below, entry } of walk(dir)) {
    if (entry.isDirectory()) continue;
    const file = path.join(dir, below);
    const name = `${LOGS}${below}`;
    const { size } = fs.lstatSync(file);
    if (entry.isFile() && canHold(name, size)) logs.push(fromFile(name, file, size));
    else leftOut++;
  }
  return { logs: logs.sort((a, b) => (a.name < b.name ? -1 : 1)), leftOut };
}

/** A log copied from another state folder takes precedence over the local one, as in the views. */
function allLogs({ home }: Context, id: string): ReturnType<typeof logsIn> {
  const copies = logsIn(home.copiesOf(id)).logs.filter(
    ({ name }) => iterationOf(name.slice(LOGS.length)) !== undefined,
  );
  const here = logsIn(home.runDir(id));
  const isCopied = (name: string) => copies.some((copy) => copy.name === name);
  return { ...here, logs: [...copies, ...here.logs.filter(({ name }) => !isCopied(name))] };
}

async function listFile({ name, bytes, read }: Content): Promise<ListedFile> {
  const hash = createHash("sha256");
  for await (const piece of read()) hash.update(piece);
  return { name, bytes, sha256: hash.digest("hex") };
}

async function* archive(contents: readonly Content[]): AsyncGenerator<Buffer> {
  for (const { name, bytes, read } of contents) {
    yield tarHeader(name, bytes);
    yield* read();
    yield tarPadding(bytes);
  }
  yield tarEnd();
}

async function snapshots(
  app: Context,
  run: Run,
  { trees, scratch }: { readonly trees: readonly string[]; readonly scratch: string },
): Promise<Content[]> {
  if (trees.length === 0) return [];
  await fetchSnapshots(app, run, trees);
  const gitDir = app.home.shadowOf(run.dir);
  if (!fs.existsSync(gitDir))
    throw new UsageError(`the snapshots of the run are gone: there is no ${gitDir}`);
  const pack = await packTrees(gitDir, { trees, into: scratch });
  return [fromFile(SNAPSHOTS, pack, fs.statSync(pack).size)];
}

async function refuseAtWork(app: Context, run: Parameters<typeof driverOf>[1]): Promise<void> {
  const driver = await driverOf(app, run);
  if (!driver) return;
  throw new UsageError(
    `run ${run.id} is at work (process ${driver.pid}); pause it with \`converge pause ${run.id}\`, or wait for its end`,
  );
}

async function recordOf({ store }: Context, id: string): Promise<readonly Kept[]> {
  if (store.record) return store.record(id);
  throw new UsageError(
    "this store has no hashes, and a record without them cannot be verified on another machine",
  );
}

/** Writes the export to the stream and ends the stream. */
export async function exportRun(app: Context, id: string, to: NodeJS.WritableStream): Promise<Exported> {
  const run = await loadRun(app, id);
  await refuseAtWork(app, run);
  const record = await recordOf(app, id);
  const trees = namedTrees(record.map(({ body }) => JSON.parse(body) as RunEvent));
  const scratch = fs.mkdtempSync(path.join(privateDir(app.home.imports), `${process.pid}-`));
  try {
    const lines = record.map(({ seq, hash, body }) => `${JSON.stringify({ seq, hash, body })}\n`).join("");
    await fetchLogs(app, id);
    const { logs, leftOut } = allLogs(app, id);
    const contents = [fromText(EVENTS, lines), ...(await snapshots(app, run, { trees, scratch })), ...logs];
    const files: ListedFile[] = [];
    for (const content of contents) files.push(await listFile(content));
    const manifest: Manifest = {
      format: FORMAT,
      version: FORMAT_VERSION,
      run: id,
      converge: VERSION,
      exportedAt: new Date().toISOString(),
      events: record.length,
      leftOut,
      files,
    };
    const first = fromText(MANIFEST, `${JSON.stringify(manifest, null, 1)}\n`);
    await pipeline(Readable.from(archive([first, ...contents])), createGzip(), to);
    return { run: id, events: record.length, snapshots: trees.length, logs: logs.length, leftOut };
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}
