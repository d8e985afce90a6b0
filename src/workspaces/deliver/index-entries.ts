// Updates the user's index after a commit in place: only committed paths, so that other staged changes stay.
import { setTimeout as sleep } from "node:timers/promises";
import { writePrivate } from "#system/files";
import { must } from "#system/git";
import { type Delivery, scratch } from "./delivery.ts";
import { differing, type Listing } from "./listing.ts";
import { said } from "./message.ts";

const TRIES = 20;
const PAUSE_MS = 100;
const GONE = `0 ${"0".repeat(40)}`;

/** Parses `ls-files -s -z`: "mode id stage TAB path"; paths become relative to the workspace. */
async function staged({ user }: Delivery): Promise<Listing> {
  const { prefix } = user;
  const entries = must(await user.git(["ls-files", "-s", "-z"]), "reading the index").split("\0");
  const below = entries.filter((entry) => entry.slice(entry.indexOf("\t") + 1).startsWith(prefix));
  return new Map(
    below.filter(Boolean).map((entry) => {
      const tab = entry.indexOf("\t");
      const [mode, id] = entry.slice(0, tab).split(" ");
      return [entry.slice(tab + 1 + prefix.length), `${mode} ${id}`];
    }),
  );
}

/** Stale index entries of an attempt that was interrupted after moving HEAD and before updating the index. */
async function behind(delivery: Delivery, commit: string): Promise<string[]> {
  const { user, head = commit } = delivery;
  const [index, now] = [await staged(delivery), await user.list(commit)];
  const earlier = [await user.list(head), await user.list(`${commit}^`)];
  return differing(index, now).filter((name) => earlier.some((list) => list.get(name) === index.get(name)));
}

/** Returns the problem, or undefined on success. The commit is valid either way. */
export async function alignIndex(
  delivery: Delivery,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<string | undefined> {
  const { user } = delivery;
  const now = await user.list(to);
  const names = from === to ? await behind(delivery, to) : differing(await user.list(from), now);
  if (names.length === 0) return undefined;
  const file = scratch(delivery, "index.entries");
  const lines = names.map((name) => `${now.get(name) ?? GONE}\t${user.prefix}${name}\0`);
  writePrivate(file, lines.join(""));
  // Retry: the user's own git may briefly hold index.lock.
  for (let tries = 1; ; tries++) {
    const answer = await user.script('git update-index -z --index-info < "$1"', [file]);
    if (answer.code === 0) return undefined;
    if (tries === TRIES || !answer.stderr.includes("index.lock"))
      return `it is committed, but the index could not be brought in line (${said(answer.stderr)}); bring it in line with: git reset`;
    await sleep(PAUSE_MS);
  }
}
