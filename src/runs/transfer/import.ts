// Imports a run from a file. Everything is verified in a staging folder; the record, written last and atomically, makes
// the run visible.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { createGunzip } from "node:zlib";
import { namedTrees } from "#rules/named-trees";
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { Kept } from "#spec/store";
import type { Context } from "#state/context";
import { refuseAgents } from "#state/refuse-agents";
import { follow, origin } from "#stores/chain";
import { privateDir } from "#system/files";
import { takeLock } from "#system/lock";
import { plain } from "#text/plain-text";
import { adoptPack, verifyPack } from "#workspaces/pack";
import { shareByPack, warnOnTooLarge } from "#workspaces/share";
import {
  EVENTS,
  type ListedFile,
  LOGS,
  MANIFEST,
  type Manifest,
  MOST_MANIFEST_BYTES,
  readManifest,
  SNAPSHOTS,
} from "./manifest.ts";
import { type TarFile, tarFiles } from "./tar.ts";
import { validateRecord } from "./validate-record.ts";

export interface Imported {
  readonly run: Run;
  readonly snapshots: number;
  readonly logs: number;
  /** The run existed already, and only its workspace location is new. */
  readonly onlyPlaced: boolean;
}

const MOST_EVENTS_BYTES = 2 ** 30;

async function text(file: TarFile, most: number): Promise<string> {
  if (file.bytes > most) throw new UsageError(`${file.name} is larger than ${most} bytes`);
  const pieces: Buffer[] = [];
  for await (const piece of file.content()) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

/** Writes a file to staging. It must match the manifest in order, name, size and checksum. */
async function keep(file: TarFile, expected: ListedFile | undefined, dir: string): Promise<void> {
  if (!expected || file.name !== expected.name || file.bytes !== expected.bytes)
    throw new UsageError(`${file.name} does not match the manifest. Export the run again`);
  const target = path.join(dir, file.name);
  privateDir(path.dirname(target));
  const hash = createHash("sha256");
  const handle = await fs.promises.open(target, "wx", 0o600);
  try {
    for await (const piece of file.content()) {
      hash.update(piece);
      await handle.writeFile(piece);
    }
    // fsync before the record refers to the file.
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (hash.digest("hex") !== expected.sha256)
    throw new UsageError(`checksum mismatch in ${file.name}. Export the run again`);
}

const isKnownName = (name: string): boolean => name === EVENTS || name === SNAPSHOTS || name.startsWith(LOGS);

async function unpack(file: string, dir: string): Promise<Manifest> {
  const source = fs.createReadStream(file);
  const unzipped = source.pipe(createGunzip());
  source.on("error", (error) => unzipped.destroy(error));
  const files = tarFiles(unzipped);
  const first = await files.next();
  if (first.done || first.value.name !== MANIFEST) throw new UsageError("the file is not an export of a run");
  const manifest = readManifest(await text(first.value, MOST_MANIFEST_BYTES));
  const odd = manifest.files.find(({ name }) => !isKnownName(name));
  if (odd) throw new UsageError(`the manifest lists "${odd.name}", which no export contains`);
  let at = 0;
  for await (const one of files) await keep(one, manifest.files[at++], dir);
  const missing = manifest.files[at];
  if (missing) throw new UsageError(`${missing.name} is missing. Export the run again`);
  return manifest;
}

function recordIn(dir: string): Kept[] {
  const file = path.join(dir, EVENTS);
  if (!fs.existsSync(file) || fs.statSync(file).size > MOST_EVENTS_BYTES)
    throw new UsageError("the record is missing or too large");
  const lines = fs.readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line, at) => {
    try {
      const { seq, body, hash } = JSON.parse(line) as Kept;
      if (typeof seq === "number" && typeof body === "string" && typeof hash === "string")
        return { seq, body, hash };
    } catch {
      // Falls through to the error below.
    }
    throw new UsageError(`line ${at + 1} of the record is not an event`);
  });
}

function refuseBroken(record: readonly Kept[], id: string): void {
  const end = follow(origin(id), record);
  if (typeof end === "number")
    throw new UsageError(`event ${end} of the record breaks the hash chain: the record was edited`);
}

/** Deletes staging folders of killed imports, whose process is gone. */
function deleteStaleStaging(imports: string): void {
  for (const name of fs.readdirSync(privateDir(imports))) {
    const pid = Number.parseInt(name, 10);
    try {
      if (pid > 0) process.kill(pid, 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ESRCH")
        fs.rmSync(path.join(imports, name), { recursive: true, force: true });
    }
  }
}

function folder(dir: string | undefined): string | undefined {
  if (dir === undefined) return undefined;
  const stat = fs.statSync(dir, { throwIfNoEntry: false });
  if (!stat?.isDirectory())
    throw new UsageError(
      `--workspace: ${dir} is not a folder; make it, or check the run's project out there`,
    );
  return fs.realpathSync(dir);
}

interface Ready {
  readonly run: Run;
  readonly record: readonly Kept[];
  readonly staging: string;
  /** Trees that the record names. */
  readonly trees: readonly string[];
  /** Path of the verified pack, without its extension. */
  readonly pack?: string;
  readonly dir?: string;
}

/** Whether the same run exists already. Importing it again is allowed only to set its workspace location. */
async function isHere({ store }: Context, { run, record, dir }: Ready): Promise<boolean> {
  const { id } = run;
  const here = (await store.record?.(id)) ?? [];
  if (here.length === 0) return false;
  const isSame = record.every(({ hash }, at) => here[at]?.hash === hash);
  if (isSame && dir !== undefined) return true;
  throw new UsageError(
    isSame
      ? `run ${id} is here already; set its workspace with --workspace DIR`
      : `there is another run ${id} here, and nothing is overwritten`,
  );
}

/** Moves the logs into place, where nothing reads them yet, then writes the record in one transaction. */
async function commit(app: Context, { run, record, staging, dir }: Ready): Promise<void> {
  const logs = path.join(staging, LOGS);
  const target = app.home.runDir(run.id);
  // Without a record, the folder is left over from a killed import.
  fs.rmSync(target, { recursive: true, force: true });
  privateDir(path.dirname(target));
  if (fs.existsSync(logs)) fs.renameSync(logs, target);
  await app.store.adopt?.(run.id, record, dir);
}

/** Shares snapshots before the record names them. A pack that is too large stays local, as for a run driven here. */
async function shareSnapshots(app: Context, { run, dir = run.dir, trees }: Ready): Promise<void> {
  const { packs } = app.store;
  if (!packs) return;
  const share = warnOnTooLarge(shareByPack({ gitDir: app.home.shadowOf(dir), run: run.id, packs }), () => {});
  for (const tree of trees) await share(tree);
}

/** Commits under a lock: one import of a run at a time. Returns whether only the location was new. */
async function settle(app: Context, ready: Ready): Promise<boolean> {
  const { run, pack, dir } = ready;
  const lock = takeLock(app.home.locks, app.home.lockName(`import ${run.id}`), run.id);
  if (!lock.held) throw new UsageError(`run ${run.id} is being imported by another process`);
  try {
    const onlyPlaced = await isHere(app, ready);
    // Each workspace has its own snapshots.
    if (pack) adoptPack(pack, app.home.shadowOf(dir ?? run.dir));
    await shareSnapshots(app, ready);
    if (!onlyPlaced) await commit(app, ready);
    else if (dir !== undefined) await app.store.place?.(run.id, dir);
    return onlyPlaced;
  } finally {
    lock.release();
  }
}

interface Source {
  /** The exported file. */
  readonly file: string;
  /** An empty folder to unpack it in. */
  readonly staging: string;
  /** The workspace of the run on this machine, if it has one. */
  readonly dir: string | undefined;
}

async function importFrom(app: Context, { file, staging, dir }: Source): Promise<Imported> {
  const manifest = await unpack(file, staging);
  const record = recordIn(staging);
  if (record.length !== manifest.events)
    throw new UsageError("the record is shorter or longer than the manifest says. Export the run again");
  refuseBroken(record, manifest.run);
  const { events, run } = validateRecord(record, manifest.run);
  await refuseAgents(app, run, "import a run");
  const trees = namedTrees(events);
  const packed = path.join(staging, SNAPSHOTS);
  if (trees.length > 0 && !fs.existsSync(packed))
    throw new UsageError("the snapshots are missing, although the record names some");
  const pack =
    trees.length > 0
      ? await verifyPack(packed, { trees, scratch: path.join(staging, "scratch.git") })
      : undefined;
  const onlyPlaced = await settle(app, {
    run,
    record,
    staging,
    trees,
    ...(pack && { pack }),
    ...(dir !== undefined && { dir }),
  });
  const logs = manifest.files.filter(({ name }) => name.startsWith(LOGS)).length;
  return { run, snapshots: trees.length, logs, onlyPlaced };
}

export async function importRun(app: Context, file: string, workspace?: string): Promise<Imported> {
  if (!app.store.adopt) throw new UsageError("this store cannot import runs");
  const dir = folder(workspace);
  deleteStaleStaging(app.home.imports);
  const staging = fs.mkdtempSync(path.join(app.home.imports, `${process.pid}-`));
  try {
    return await importFrom(app, { file, staging, dir });
  } catch (error) {
    const message = plain((error as Error).message);
    throw new UsageError(`cannot import ${file}: ${message}. Nothing was changed`);
  } finally {
    fs.rmSync(staging, { recursive: true, force: true });
  }
}
