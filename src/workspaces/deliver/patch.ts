// Delivers a patch for `git apply`: the exact difference between the base and the judged tree.
import fs from "node:fs";
import path from "node:path";
import type { Delivered, DeliveryRequest } from "#spec/workspace";
import { privateDir, replaceFile } from "#system/files";
import { git, must } from "#system/git";
import { isBehindLink, isInside } from "#system/inside";
import { findRepository } from "./repository.ts";

const BEGINNING = "diff --git ";

/** Lets git write the file into our own folder, so that binary content stays intact. */
export async function writePatch(shadow: string, request: DeliveryRequest): Promise<string> {
  const { run, base, tree, repository, files } = request;
  const file = path.join(privateDir(files), `${run}.patch`);
  const prefix = (await findRepository(repository))?.prefix ?? "";
  const form = ["--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
  const names = [`--src-prefix=a/${prefix}`, `--dst-prefix=b/${prefix}`, `--output=${file}`];
  const place = { cwd: files, gitDir: shadow, workTree: files };
  must(await git(["diff", ...form, ...names, base, tree], place), "writing the patch");
  return file;
}

/** Why the file cannot be written; undefined when it can. */
function obstacle(file: string, { repository }: DeliveryRequest): string | undefined {
  const folder = path.dirname(file);
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return `there is no folder ${folder}`;
  // Inside the workspace the agent may have created a link; outside, links are the user's own.
  if (isInside(repository, folder) && isBehindLink(repository, folder))
    return `${folder} leads through a link`;
  const there = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!there) return undefined;
  if (!there.isFile()) return `${file} is not a regular file`;
  return isPatch(file) ? undefined : `${file} exists and is not a patch`;
}

function isPatch(file: string): boolean {
  const handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(BEGINNING.length);
    const read = fs.readSync(handle, bytes, 0, bytes.length, 0);
    return read === 0 || bytes.toString("latin1") === BEGINNING;
  } finally {
    fs.closeSync(handle);
  }
}

function putInto(file: string, from: string): void {
  const write = (temporary: string) => {
    fs.copyFileSync(from, temporary, fs.constants.COPYFILE_EXCL);
    fs.chmodSync(temporary, 0o644);
  };
  replaceFile(file, write, { durable: true });
}

export async function deliverPatch(shadow: string, request: DeliveryRequest): Promise<Delivered> {
  const { how, tree } = request;
  const written = await writePatch(shadow, request);
  if (how.file === undefined) return { type: how.type, tree, file: written };
  const why = obstacle(how.file, request);
  if (why) return { type: how.type, tree, file: written, problem: `${why}; the patch is in ${written}` };
  putInto(how.file, written);
  return { type: how.type, tree, file: how.file };
}
