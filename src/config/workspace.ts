// Where the agent works: the options of the workspace and of isolation, and the rules that join them.
import { stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as z from "zod";
import { dropUndefined, option, TYPE_NAME } from "#options/option";
import { listed, show, wordsOr } from "#options/sentence";
import { names, onOff, text } from "#options/values";
import { TIERS } from "#spec/agent";
import { TASK_DEFAULTS, type Task } from "#spec/task";
import { child, type Located, type TaskReader, textOf } from "./located.ts";

const PROTOCOLS = ["https:", "http:", "ssh:", "file:"];
const FORMS = ["https://…", "http://…", "ssh://…", "git@HOST:PATH", "file:///…", "an absolute path"];

/** `USER@HOST:PATH`, without anything that git could parse as an option. */
const SCP_LIKE = /^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?![-:])[^\s]+$/;

const BLANK_OR_CONTROL = /[\s\u0000-\u001f\u007f]/;

/** Rejects URLs that make git start another program, such as `ext::`. Also validates URLs of imported records. */
export function isFetchable(url: string): boolean {
  if (BLANK_OR_CONTROL.test(url) || /^[A-Za-z0-9+.-]*::/.test(url)) return false;
  if (url.startsWith("/") || SCP_LIKE.test(url)) return true;
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  if (password !== "") return false;
  const hasHost = protocol === "file:" ? hostname === "" : /^[^-]/.test(hostname);
  return PROTOCOLS.includes(protocol) && url.includes("://") && hasHost && !username.startsWith("-");
}

const hasPassword = (url: string) => URL.canParse(url) && new URL(url).password !== "";

const gitUrl = text.superRefine((url, context) => {
  // Never quotes a URL with a password: messages are shown and logged.
  const message = hasPassword(url)
    ? "expected an address without a password; git asks a credential helper for it, or uses an ssh key"
    : `expected ${listed(FORMS)}, got ${show(url)}`;
  if (hasPassword(url) || !isFetchable(url)) context.addIssue({ code: "custom", message });
});

const gitRef = text.refine(
  (ref) =>
    /^[^\s~^:?*[\\]+$/.test(ref) && !BLANK_OR_CONTROL.test(ref) && !/^[-/.]|\.\.|@\{|\/$|\.lock$/.test(ref),
  { error: ({ input }) => `expected a branch, a tag or a commit, got ${show(input)}` },
);

const workspaceType = z.enum(["in-place", "worktree"]);

const workspaceMap = z.strictObject({
  type: option({
    schema: workspaceType,
    default: TASK_DEFAULTS.workspace.type,
    doc: "Works in the folder itself, or in a git worktree of its own.",
  }),
  dir: option({
    schema: text,
    defaultText: "the folder of the task file",
    doc: "The folder that the agent works in.",
  }),
  git: option({
    schema: gitUrl,
    doc: "URL of a repository that is cloned where the run is driven, instead of a local folder.",
  }),
  ref: option({ schema: gitRef, default: "main", doc: "Branch, tag or commit of `git` to start from." }),
  snapshots: option({
    schema: gitUrl,
    defaultText: "the shared store",
    doc: "URL of a repository that receives the snapshots of the run.",
  }),
});

export const workspace = z.union(
  [workspaceType.transform((type) => workspaceMap.parse({ type })), workspaceMap],
  {
    error: wordsOr([...workspaceType.options, "{type: …, dir: …}"], "{git: …, ref: …}"),
  },
);

/** Resolves the workspace. `dir` is its folder on this machine. */
export function resolveWorkspace(
  { type, git, ref, snapshots }: z.output<typeof workspace>,
  dir: string,
): Task["workspace"] {
  return dropUndefined({ type, dir, git: git === undefined ? undefined : { url: git, ref }, snapshots });
}

/** `workspace.git` excludes `type` and `dir`, because the repository is always cloned where the run is driven. */
export function checkRepository({ tree, problems }: TaskReader): void {
  const node = child(tree, "workspace");
  const hasGit = child(node, "git") !== undefined;
  for (const key of hasGit ? ["type", "dir"] : ["ref"]) {
    const entry = child(node, key);
    if (!entry) continue;
    const why = hasGit ? "cannot be combined with workspace.git; remove one of them" : "needs workspace.git";
    problems.add(entry.keyAt, `workspace.${key} ${why}`);
  }
}

/** Resolves the folder that the agent works in. Defaults to `home`. */
export async function findWorkspaceDir({ tree, problems }: TaskReader, home: string): Promise<string> {
  const node = child(child(tree, "workspace"), "dir");
  const name = textOf(node);
  if (node === undefined || name === undefined) return home;
  const dir = path.resolve(node.dir, name);
  const stats = await stat(dir).catch(() => undefined);
  if (!stats?.isDirectory())
    problems.add(node.valueAt, `workspace.dir: expected a folder, but ${dir} is not one`);
  return dir;
}

const isolationType = z.enum(["auto", "off", "strict", "runtime"]);

const isolationMap = z.strictObject({
  type: option({
    schema: isolationType,
    default: TASK_DEFAULTS.isolation.type,
    doc: "How the agent is isolated; `auto` contains it where the machine can.",
  }),
  network: option({
    schema: onOff,
    default: TASK_DEFAULTS.isolation.network,
    doc: "Whether the agent has a network; `off` needs `strict` or `runtime`.",
  }),
  writable: option({
    schema: names.meta({ [TYPE_NAME]: "folder or list of folders" }),
    default: [...TASK_DEFAULTS.isolation.writable],
    doc: "Folders that the agent may write besides the workspace; needs `strict` or `runtime`.",
  }),
  require: option({
    schema: z.enum(TIERS),
    doc: "Refuses to run with a weaker tier of isolation than this.",
  }),
});

export const isolation = z.union(
  [isolationType.transform((type) => isolationMap.parse({ type })), isolationMap],
  {
    error: wordsOr(isolationType.options, "{type: …}"),
  },
);

/** Resolves writable folders relative to the layer that names them. */
export function isolationSpec(
  { writable, ...rest }: z.output<typeof isolation>,
  node: Located | undefined,
): Task["isolation"] {
  const dir = child(node, "writable")?.dir ?? "";
  return dropUndefined({ ...rest, writable: writable.map((folder) => resolveFolder(dir, folder)) });
}

/** Resolves a folder; expands `~/` to the home folder. */
function resolveFolder(dir: string, folder: string): string {
  return folder.startsWith("~/") ? path.join(os.homedir(), folder.slice(2)) : path.resolve(dir, folder);
}

/** `writable` and `network: off` need a sandbox that restricts writes and the network. */
export function checkIsolation({ tree, problems }: TaskReader): void {
  const node = child(tree, "isolation");
  const type = textOf(child(node, "type")) ?? TASK_DEFAULTS.isolation.type;
  if (type === "strict" || type === "runtime") return;
  const network = child(node, "network");
  const isOff = network?.kind === "leaf" && (network.value === false || network.value === "off");
  for (const entry of [isOff ? network : undefined, child(node, "writable")])
    if (entry)
      problems.add(
        entry.keyAt,
        `isolation.${entry === network ? "network: off" : "writable"} needs isolation type strict or runtime, got ${type}`,
      );
}
