// The layers of a task, lowest first: built-in, user, project, profile, flags. Each is checked on its own, then merged.
import path from "node:path";
import { check } from "./issues.ts";
import { child, emptyMap, type Located, type LocatedMap, locate, plainValue, textOf } from "./located.ts";
import { mergeLayers } from "./merge.ts";
import type { Problems } from "./problems.ts";
import { chooseProfile } from "./profiles.ts";
import { type TaskInput, taskFile } from "./schema.ts";
import { show } from "./sentence.ts";
import { parseSource, readSource } from "./yaml-source.ts";

export interface TaskSource {
  /** The project's task file; without one, flags and user file are all there is. */
  readonly file?: string;
  /** What would be in the file, instead of one. */
  readonly text?: string;
  /** From flags or the SDK. */
  readonly flags?: TaskInput;
  /** What a command means by itself; the user's files say it better. */
  readonly defaults?: TaskInput;
  readonly profile?: string;
  /** Defaults of the user; need not exist. */
  readonly userFile?: string;
  readonly cwd: string;
  /** How messages call the place that `flags` come from. */
  readonly origin?: string;
  /** The agent that works when none is named. */
  readonly agent?: { readonly name: string; readonly title: string };
}

/** Where defaults stand that nobody wrote. */
export const BUILT_IN_LAYER = "built-in";

const BUILT_IN = {
  strategy: { type: "hybrid" },
  memory: { type: "captured" },
  workspace: { type: "in-place" },
};

interface Layers {
  /** Undefined when a file could not be read: nothing can be said about the whole. */
  readonly tree: LocatedMap | undefined;
  readonly sources: readonly string[];
  /** What was chosen because nobody said. */
  readonly notes?: readonly string[];
}

/** How a file is called in messages: short when it lies below the current folder. */
export function shownIn(cwd: string, file: string): string {
  const relative = path.relative(cwd, file);
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative) ? file : relative;
}

export async function readLayers(input: TaskSource, problems: Problems): Promise<Layers> {
  const { cwd, origin = "command line" } = input;
  const user = await readLayer(input.userFile, cwd, false, problems);
  const project =
    input.text === undefined
      ? await readLayer(input.file, cwd, true, problems)
      : { tree: layerOf(parseSource(input.text, origin, cwd), problems) };
  const asked = { keyAt: origin, valueAt: origin, dir: cwd };
  const flags = checkLayer(locate(input.flags ?? {}, asked), problems);
  const sources = [user, project].flatMap(({ source }: Layer) => source ?? []);
  if (user.tree === undefined || project.tree === undefined || flags === undefined)
    return { tree: undefined, sources };
  const known = { keyAt: BUILT_IN_LAYER, valueAt: BUILT_IN_LAYER, dir: cwd };
  const defaults = [BUILT_IN, input.defaults ?? {}].map((layer) => locate(layer, known) as LocatedMap);
  const below = [...defaults, user.tree, project.tree];
  const written = [...below, flags].reduce(mergeLayers);
  const profile = chooseProfile(child(written, "profiles"), chosenProfile(input, written, origin));
  for (const { at, message } of profile.problems) problems.add(at, message);
  const tree = [...below, ...profile.layers, flags].reduce(mergeLayers);
  const entries = new Map([...tree.entries].filter(([key]) => key !== "profile" && key !== "profiles"));
  const { agent } = input;
  if (!agent || entries.has("agent") || entries.has("agents")) return { tree: { ...tree, entries }, sources };
  entries.set("agent", locate({ type: agent.name }, asked));
  const chosen = `agent: ${agent.name} (${agent.title}), the first that is installed; --agent takes another`;
  return { tree: { ...tree, entries }, sources, notes: [chosen] };
}

function chosenProfile(input: TaskSource, written: Located, origin: string) {
  if (input.profile !== undefined) return { name: input.profile, at: origin };
  const node = child(written, "profile");
  const name = textOf(node);
  return node === undefined || name === undefined ? undefined : { name, at: node.valueAt };
}

interface Layer {
  readonly tree: LocatedMap | undefined;
  readonly source?: string;
}

async function readLayer(
  name: string | undefined,
  cwd: string,
  required: boolean,
  problems: Problems,
): Promise<Layer> {
  const nothing = emptyMap({ keyAt: "", valueAt: "", dir: cwd });
  if (name === undefined) return { tree: nothing };
  const file = path.resolve(cwd, name);
  const shown = shownIn(cwd, file);
  const source = await readSource(file, shown);
  if (source.missing && !required) return { tree: nothing };
  if (source.missing)
    problems.add(
      shown,
      'no such file; write a task there ("prompt: …", "agent: …", "gates: …") or name another file',
    );
  return { tree: layerOf(source.missing ? { problems: [] } : source, problems), source: file };
}

function layerOf(
  { tree, problems: wrong }: ReturnType<typeof parseSource>,
  problems: Problems,
): LocatedMap | undefined {
  for (const { at, message } of wrong) problems.add(at, message);
  return tree && checkLayer(tree, problems);
}

/** Also what a higher layer would hide is checked: a mistake is a mistake today, not when the flag is left out. */
function checkLayer(tree: Located, problems: Problems): LocatedMap | undefined {
  if (tree.kind !== "map") {
    problems.add(tree.valueAt, `expected a map of keys, got ${show(plainValue(tree))}`);
    return undefined;
  }
  const checked = check<unknown>(taskFile, plainValue(tree));
  if (!checked.ok) problems.found(tree, checked.findings);
  return tree;
}
