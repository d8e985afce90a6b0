// Resolves which gates judge in a clean room, and its setup, cache and environment.
import type { GateTraits } from "#options/part";
import type { CleanRoom, GateSpec } from "#spec/task";
import { isNeverAllowed } from "#system/environment";
import { normaliseInside } from "#system/inside";
import type { Catalogue } from "./catalogue.ts";
import { child, type Located, textOf } from "./located.ts";
import { installFor } from "./lockfiles.ts";
import type { Problems } from "./problems.ts";
import type { MergedTask } from "./schema.ts";

type CleanRoomOption = MergedTask["cleanRoom"];
type Options = Partial<Extract<NonNullable<CleanRoomOption>, { setup?: unknown }>>;

const TEN_MINUTES = 600_000;

/** Sets `cleanRoom` on each gate. A gate's own setting overrides the task's. */
export function applyCleanRoom(
  gates: readonly GateSpec[],
  option: CleanRoomOption,
  catalogue: Catalogue<GateTraits>,
): readonly GateSpec[] {
  return gates.map((gate) => {
    const { cleanRoom: own, ...policy } = gate.policy;
    const cleanRoom = own ?? (option?.on === true && (catalogue.traits(gate.use.type).cleanRoom ?? true));
    return cleanRoom ? { ...gate, policy: { ...policy, cleanRoom } } : { ...gate, policy };
  });
}

export interface CleanRoomSource {
  readonly option: CleanRoomOption;
  readonly gates: readonly GateSpec[];
  readonly dir: string;
}

/** Undefined when no gate judges in a clean room. */
export function findCleanRoom({ option, gates, dir }: CleanRoomSource): CleanRoom | undefined {
  if (!gates.some((gate) => gate.policy.cleanRoom)) return undefined;
  const options: Options = { ...option };
  const install = setupOf(options, dir);
  const cache =
    options.cache && Object.entries(options.cache).map(([folder, key]) => ({ path: folder, key }));
  return {
    setup: install.setup,
    setupMs: options.setupTimeout ?? TEN_MINUTES,
    cache: cache ?? install.cache,
    env: options.env ?? [],
  };
}

/** The setup of the task, else the install command of the lockfile. */
function setupOf({ setup }: Options, dir: string): Pick<CleanRoom, "setup" | "cache"> {
  if (setup === undefined) return installFor(dir);
  return { setup: setup.length === 1 && setup[0] === "none" ? [] : setup, cache: [] };
}

/** Rejects options without effect, and paths or variables that would break the isolation of a clean room. */
export function checkCleanRoom(tree: Located, source: CleanRoomSource, problems: Problems): void {
  checkGatePaths(tree, source, problems);
  const node = child(tree, "cleanRoom");
  if (node?.kind !== "map") return;
  const room = findCleanRoom(source);
  const cache = child(node, "cache");
  if (!room)
    problems.add(
      node.keyAt,
      "cleanRoom has options, but no gate judges in a clean room; remove the options, or set cleanRoom: true on a gate",
    );
  else if (cache && room.setup.length === 0)
    problems.add(
      cache.keyAt,
      "cleanRoom.cache keeps the output of setup, but there is no setup; add cleanRoom.setup",
    );
  if (cache?.kind === "map") for (const [folder, key] of cache.entries) checkCached(folder, key, problems);
  for (const name of itemsOf(child(node, "env"))) checkVariable(name, problems);
}

/** Rejects the absolute path of the workspace in a gate: it holds the agent's files, not the copy that is judged. */
function checkGatePaths(tree: Located, { gates, dir }: CleanRoomSource, problems: Problems): void {
  const items = itemsOf(child(tree, "gates"));
  gates.forEach(({ policy, use }, index) => {
    const isOutside =
      policy.cleanRoom && JSON.stringify(use).includes(JSON.stringify(`${dir}/`).slice(1, -1));
    if (isOutside)
      problems.add(
        items[index]?.valueAt ?? tree.valueAt,
        `gates[${index}] uses the absolute path ${dir}, but a clean room is another folder; write paths relative to the workspace`,
      );
  });
}

function checkCached(folder: string, key: Located, problems: Problems): void {
  if (normaliseInside(folder) === undefined)
    problems.add(key.keyAt, `cleanRoom.cache: expected a folder inside the workspace, got "${folder}"`);
  const files = itemsOf(key);
  if (files.length === 0)
    problems.add(key.valueAt, `cleanRoom.cache: expected the files that "${folder}" is built from, got none`);
  for (const file of files)
    if (normaliseInside(textOf(file) ?? "") === undefined)
      problems.add(
        file.valueAt,
        `cleanRoom.cache: expected a file inside the workspace, got "${textOf(file)}"`,
      );
}

function checkVariable(node: Located, problems: Problems): void {
  const name = textOf(node) ?? "";
  if (!/^[A-Za-z_]\w*$/.test(name))
    problems.add(node.valueAt, `cleanRoom.env: expected the name of a variable, got "${name}"`);
  else if (isNeverAllowed(name))
    problems.add(
      node.valueAt,
      `cleanRoom.env: ${name} changes how tools behave and is never passed in; if a gate needs it, set its value in that gate's env`,
    );
}

function itemsOf(node: Located | undefined): readonly Located[] {
  return node?.kind === "list" ? node.items : node ? [node] : [];
}
