// Reads and merges the layers of a task, lowest first: built-in, user, project, profile, flags. Validates each layer on its own.
import path from "node:path";
import { check } from "#options/issues";
import { show } from "#options/sentence";
import { TASK_DEFAULTS } from "#spec/task";
import { pathInside } from "#system/inside";
import {
  child,
  emptyMap,
  type Located,
  type LocatedMap,
  locate,
  type Origin,
  type Problems,
  plainValue,
  textOf,
} from "./located.ts";
import { chooseProfile, mergeLayers } from "./merge-layers.ts";
import { type TaskInput, taskFile } from "./task-options.ts";
import { parseSource, readSource } from "./yaml-source.ts";

export interface TaskSource {
  /** The project's task file. Without it, only flags and the user file apply. */
  readonly file?: string;
  /** Content of a task file, instead of `file`. */
  readonly text?: string;
  /** From flags or the SDK. */
  readonly flags?: TaskInput;
  /** Defaults of the command. The user's files override them. */
  readonly defaults?: TaskInput;
  readonly profile?: string;
  /** The user's defaults. The file may be missing. */
  readonly userFile?: string;
  readonly cwd: string;
  /** Name of the source of `flags` in messages. */
  readonly origin?: string;
  /** The default agent. */
  readonly agent?: { readonly name: string; readonly title: string };
}

/** Location of built-in defaults. */
export const BUILT_IN_LAYER = "built-in";

/** Parts are read from the merged layers, so their defaults are a layer; other defaults stand in the schema. */
const BUILT_IN = { strategy: TASK_DEFAULTS.strategy, memory: TASK_DEFAULTS.memory };

interface Layers {
  /** Undefined when a file could not be read. */
  readonly tree: LocatedMap | undefined;
  readonly sources: readonly string[];
  /** Defaults that Converge chose, to show to the user. */
  readonly notes?: readonly string[];
}

/** Name of a file in messages: relative when it is inside the current folder. */
export function displayPath(cwd: string, file: string): string {
  return pathInside(cwd, file) ?? file;
}

export async function readLayers(source: TaskSource, problems: Problems): Promise<Layers> {
  const { cwd, origin = "command line" } = source;
  const user = await readLayer({ file: source.userFile, cwd, isRequired: false }, problems);
  const project =
    source.text === undefined
      ? await readLayer({ file: source.file, cwd, isRequired: true }, problems)
      : { tree: layerOf(parseSource(source.text, origin, cwd), problems) };
  const flags = checkLayer(locate(source.flags ?? {}, flagOrigin(source)), problems);
  const sources = [user, project].flatMap((layer: Layer) => layer.file ?? []);
  if (user.tree === undefined || project.tree === undefined || flags === undefined)
    return { tree: undefined, sources };
  const builtIn = { keyAt: BUILT_IN_LAYER, valueAt: BUILT_IN_LAYER, dir: cwd };
  const defaults = [BUILT_IN, source.defaults ?? {}].map((layer) => locate(layer, builtIn) as LocatedMap);
  const lowerLayers = [...defaults, user.tree, project.tree];
  const withoutProfile = [...lowerLayers, flags].reduce(mergeLayers);
  const profile = chooseProfile(child(withoutProfile, "profiles"), profileName(source, withoutProfile));
  for (const { at, message } of profile.problems) problems.add(at, message);
  const tree = [...lowerLayers, ...profile.layers, flags].reduce(mergeLayers);
  const entries = new Map([...tree.entries].filter(([key]) => key !== "profile" && key !== "profiles"));
  return { sources, ...addDefaultAgent({ ...tree, entries }, source) };
}

function flagOrigin({ cwd, origin = "command line" }: TaskSource): Origin {
  return { keyAt: origin, valueAt: origin, dir: cwd };
}

/** Adds the installed agent to a task that names none. */
function addDefaultAgent(tree: LocatedMap, source: TaskSource): Pick<Layers, "tree" | "notes"> {
  const { agent } = source;
  if (!agent || tree.entries.has("agent") || tree.entries.has("agents")) return { tree };
  const agentNode = locate({ type: agent.name }, flagOrigin(source));
  const note = `agent: ${agent.name} (${agent.title}), the first installed agent; choose another with --agent`;
  return { tree: { ...tree, entries: new Map([...tree.entries, ["agent", agentNode]]) }, notes: [note] };
}

function profileName({ profile, origin = "command line" }: TaskSource, merged: Located) {
  if (profile !== undefined) return { name: profile, at: origin };
  const node = child(merged, "profile");
  const name = textOf(node);
  return node === undefined || name === undefined ? undefined : { name, at: node.valueAt };
}

interface Layer {
  readonly tree: LocatedMap | undefined;
  /** The file that was read. */
  readonly file?: string;
}

interface LayerFile {
  readonly file: string | undefined;
  readonly cwd: string;
  /** Whether a missing file is a problem. */
  readonly isRequired: boolean;
}

async function readLayer({ file: name, cwd, isRequired }: LayerFile, problems: Problems): Promise<Layer> {
  const empty = emptyMap({ keyAt: "", valueAt: "", dir: cwd });
  if (name === undefined) return { tree: empty };
  const file = path.resolve(cwd, name);
  const displayName = displayPath(cwd, file);
  const source = await readSource(file, displayName);
  if (source.missing && !isRequired) return { tree: empty };
  if (source.missing)
    problems.add(
      displayName,
      'no such file; write a task there ("prompt: …", "agent: …", "gates: …") or name another file',
    );
  return { tree: layerOf(source.missing ? { problems: [] } : source, problems), file };
}

function layerOf(
  { tree, problems: syntaxProblems }: ReturnType<typeof parseSource>,
  problems: Problems,
): LocatedMap | undefined {
  for (const { at, message } of syntaxProblems) problems.add(at, message);
  return tree && checkLayer(tree, problems);
}

/** Validates one layer, including values that a higher layer overrides. */
function checkLayer(tree: Located, problems: Problems): LocatedMap | undefined {
  if (tree.kind !== "map") {
    problems.add(tree.valueAt, `expected a map of keys, got ${show(plainValue(tree))}`);
    return undefined;
  }
  const checked = check<unknown>(taskFile, plainValue(tree));
  if (!checked.ok) problems.addFindings(tree, checked.findings);
  return tree;
}
