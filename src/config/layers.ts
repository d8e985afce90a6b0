// Reads and merges the layers of a task, lowest first: built-in, user, project, profile, flags. Validates each layer on its own.
import path from "node:path";
import { check } from "#options/issues";
import { show } from "#options/sentence";
import { pathInside } from "#system/inside";
import { child, emptyMap, type Located, type LocatedMap, locate, plainValue, textOf } from "./located.ts";
import { mergeLayers } from "./merge.ts";
import type { Problems } from "./problems.ts";
import { chooseProfile } from "./profiles.ts";
import { type TaskInput, taskFile } from "./schema.ts";
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

const BUILT_IN = {
  strategy: { type: "hybrid" },
  memory: { type: "captured" },
  workspace: { type: "in-place" },
};

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

export async function readLayers(input: TaskSource, problems: Problems): Promise<Layers> {
  const { cwd, origin = "command line" } = input;
  const user = await readLayer(input.userFile, cwd, false, problems);
  const project =
    input.text === undefined
      ? await readLayer(input.file, cwd, true, problems)
      : { tree: layerOf(parseSource(input.text, origin, cwd), problems) };
  const flagOrigin = { keyAt: origin, valueAt: origin, dir: cwd };
  const flags = checkLayer(locate(input.flags ?? {}, flagOrigin), problems);
  const sources = [user, project].flatMap(({ source }: Layer) => source ?? []);
  if (user.tree === undefined || project.tree === undefined || flags === undefined)
    return { tree: undefined, sources };
  const builtIn = { keyAt: BUILT_IN_LAYER, valueAt: BUILT_IN_LAYER, dir: cwd };
  const defaults = [BUILT_IN, input.defaults ?? {}].map((layer) => locate(layer, builtIn) as LocatedMap);
  const lowerLayers = [...defaults, user.tree, project.tree];
  const withoutProfile = [...lowerLayers, flags].reduce(mergeLayers);
  const profile = chooseProfile(
    child(withoutProfile, "profiles"),
    chosenProfile(input, withoutProfile, origin),
  );
  for (const { at, message } of profile.problems) problems.add(at, message);
  const tree = [...lowerLayers, ...profile.layers, flags].reduce(mergeLayers);
  const entries = new Map([...tree.entries].filter(([key]) => key !== "profile" && key !== "profiles"));
  const { agent } = input;
  if (!agent || entries.has("agent") || entries.has("agents")) return { tree: { ...tree, entries }, sources };
  entries.set("agent", locate({ type: agent.name }, flagOrigin));
  const note = `agent: ${agent.name} (${agent.title}), the first installed agent; choose another with --agent`;
  return { tree: { ...tree, entries }, sources, notes: [note] };
}

function chosenProfile(input: TaskSource, merged: Located, origin: string) {
  if (input.profile !== undefined) return { name: input.profile, at: origin };
  const node = child(merged, "profile");
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
  const empty = emptyMap({ keyAt: "", valueAt: "", dir: cwd });
  if (name === undefined) return { tree: empty };
  const file = path.resolve(cwd, name);
  const displayName = displayPath(cwd, file);
  const source = await readSource(file, displayName);
  if (source.missing && !required) return { tree: empty };
  if (source.missing)
    problems.add(
      displayName,
      'no such file; write a task there ("prompt: …", "agent: …", "gates: …") or name another file',
    );
  return { tree: layerOf(source.missing ? { problems: [] } : source, problems), source: file };
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
  if (!checked.ok) problems.found(tree, checked.findings);
  return tree;
}
