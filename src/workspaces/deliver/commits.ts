// Writes the commits of a delivery: the user's uncommitted changes from before the run, if any, and the run's work.

import { git, must } from "#system/git";
import { plain } from "#text/plain-text";
import { adopt } from "./adopt.ts";
import type { Delivery } from "./delivery.ts";
import { differing, modeOf } from "./listing.ts";
import { messageFile, wordsFor } from "./message.ts";
import { findParent } from "./parent.ts";

/** The trees to commit; the commits themselves are not written yet. */
export interface Plan {
  readonly parent: string;
  /** Trees of the whole repository: of the parent, with the user's uncommitted changes, and with the work. */
  readonly parentTree: string;
  readonly beforeTree: string;
  readonly tree: string;
}

/** Throws unless the tree has all judged files; only paths that a snapshot leaves out or git converts may differ. */
async function verify({ user, judged }: Delivery, tree: string, kept: ReadonlySet<string>): Promise<void> {
  const built = await user.list(tree);
  const converted = (name: string) => modeOf(built.get(name)) === modeOf(judged.tree.get(name));
  const wrong = differing(built, judged.tree).filter((name) => !kept.has(name) && !converted(name));
  if (wrong.length > 0)
    throw new Error(`the tree to deliver is not the one that was judged: ${wrong.join(", ")}`);
}

export async function plan(delivery: Delivery): Promise<Plan> {
  const { user, judged, base, tree } = delivery;
  const { commit: parent, committed } = await findParent(delivery);
  const parentTree = await user.treeOf(parent);
  const before = await adopt(
    delivery,
    parentTree,
    { tree: base, files: judged.base },
    { except: (name) => committed.has(name) },
  );
  const changed = new Set(differing(judged.base, judged.tree));
  const after = await adopt(delivery, before.tree, { tree, files: judged.tree }, { changed });
  await verify(delivery, after.tree, after.kept);
  return { parent, parentTree, beforeTree: before.tree, tree: after.tree };
}

/** The user's git identity, or Converge's when there is none. */
async function identity(cwd: string): Promise<readonly string[]> {
  const ask = async (key: string) => {
    const { stdout } = await git(["config", "--get", key], { cwd, asUser: true });
    return plain(stdout).trim().split("\n")[0] ?? "";
  };
  const { GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL } = process.env;
  const name = GIT_AUTHOR_NAME || (await ask("user.name"));
  const email = GIT_AUTHOR_EMAIL || (await ask("user.email"));
  const [known, at] = name && email ? [name, email] : ["Converge", "converge@localhost"];
  return ["-c", `user.name=${known}`, "-c", `user.email=${at}`];
}

/** Writes the necessary commits and returns the last one, or the parent when there is nothing to commit. */
export async function writeCommits(delivery: Delivery, planned: Plan): Promise<string> {
  const { user, run } = delivery;
  const who = await identity(user.top);
  const commit = async (tree: string, parent: string, text: string) => {
    const file = messageFile(delivery, "commit.message", text);
    const args = [...who, "-c", "core.fsync=all", "commit-tree", tree, "-p", parent, "-F", file];
    return must(await user.git(args), "committing").trim();
  };
  let tip = planned.parent;
  if (planned.beforeTree !== planned.parentTree)
    tip = await commit(planned.beforeTree, tip, `uncommitted changes from before converge run ${run}\n`);
  if (planned.tree === planned.beforeTree) return tip;
  const { title, body } = wordsFor(delivery);
  return commit(planned.tree, tip, `${title}\n\n${body}`);
}
