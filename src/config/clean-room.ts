// Which gates judge in a clean room, and what makes the room ready.
import path from "node:path";
import type { CleanRoom, GateSpec } from "#spec/task";
import { isNeverAllowed } from "#system/environment";
import { child, type Located, textOf } from "./located.ts";
import { installFor } from "./lockfiles.ts";
import type { Problems } from "./problems.ts";
import type { MergedTask } from "./schema.ts";

type Written = MergedTask["cleanRoom"];
type Options = Partial<Extract<NonNullable<Written>, { setup?: unknown }>>;

const TEN_MINUTES = 600_000;

/** They look at no files of the workspace, or at a copy of their own, and may need the user's credentials. */
const ASK_OTHERS = new Set(["approval", "manual", "ci", "convergence", "judge"]);

/** A gate's own word goes before the task's. */
export function gatesInRooms(gates: readonly GateSpec[], written: Written): readonly GateSpec[] {
  return gates.map((gate) => {
    const { cleanRoom: own, ...policy } = gate.policy;
    const cleanRoom = own ?? (written?.on === true && !ASK_OTHERS.has(gate.use.type));
    return cleanRoom ? { ...gate, policy: { ...policy, cleanRoom } } : { ...gate, policy };
  });
}

export interface RoomSource {
  readonly written: Written;
  readonly gates: readonly GateSpec[];
  readonly dir: string;
}

/** Undefined when no gate judges in a clean room. */
export function findCleanRoom({ written, gates, dir }: RoomSource): CleanRoom | undefined {
  if (!gates.some((gate) => gate.policy.cleanRoom)) return undefined;
  const options: Options = { ...written };
  const found = setupOf(options, dir);
  const given =
    options.cache && Object.entries(options.cache).map(([folder, key]) => ({ path: folder, key }));
  return {
    setup: found.setup,
    setupMs: options.setupTimeout ?? TEN_MINUTES,
    cache: given ?? found.cache,
    env: options.env ?? [],
  };
}

/** As written, else as the lockfile asks for. */
function setupOf({ setup }: Options, dir: string): Pick<CleanRoom, "setup" | "cache"> {
  if (setup === undefined) return installFor(dir);
  return { setup: setup.length === 1 && setup[0] === "none" ? [] : setup, cache: [] };
}

/** Options that could have no effect, and whatever would lead out of the room, are refused. */
export function checkCleanRoom(tree: Located, source: RoomSource, problems: Problems): void {
  checkPlaces(tree, source, problems);
  const node = child(tree, "cleanRoom");
  if (node?.kind !== "map") return;
  const room = findCleanRoom(source);
  const cache = child(node, "cache");
  if (!room)
    problems.add(
      node.keyAt,
      "cleanRoom has options, and no gate judges in a clean room; remove one or the other",
    );
  else if (cache && room.setup.length === 0)
    problems.add(cache.keyAt, "cleanRoom.cache keeps what setup makes, and there is no setup; write one");
  if (cache?.kind === "map") for (const [folder, key] of cache.entries) checkCached(folder, key, problems);
  for (const name of itemsOf(child(node, "env"))) checkVariable(name, problems);
}

/** The workspace's own path leads to the files that the agent works on, not to those that are judged. */
function checkPlaces(tree: Located, { gates, dir }: RoomSource, problems: Problems): void {
  const items = itemsOf(child(tree, "gates"));
  gates.forEach(({ policy, use }, index) => {
    const isOut = policy.cleanRoom && JSON.stringify(use).includes(JSON.stringify(`${dir}/`).slice(1, -1));
    if (isOut)
      problems.add(
        items[index]?.valueAt ?? tree.valueAt,
        `gates[${index}] names ${dir} by its whole path, and a clean room is another folder; write paths from the workspace on`,
      );
  });
}

function checkCached(folder: string, key: Located, problems: Problems): void {
  if (!isBelow(folder))
    problems.add(key.keyAt, `cleanRoom.cache: expected a folder inside the workspace, got "${folder}"`);
  const files = itemsOf(key);
  if (files.length === 0)
    problems.add(key.valueAt, `cleanRoom.cache: expected the files that "${folder}" is made from, got none`);
  for (const file of files)
    if (!isBelow(textOf(file) ?? ""))
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
      `cleanRoom.env: ${name} changes what tools do and never comes from outside; if a gate needs it, write its value into that gate's env`,
    );
}

function itemsOf(node: Located | undefined): readonly Located[] {
  return node?.kind === "list" ? node.items : node ? [node] : [];
}

function isBelow(name: string): boolean {
  const normal = path.normalize(name);
  return !path.isAbsolute(name) && normal !== "." && normal !== "./" && !/^\.\.(\/|$)/.test(normal);
}
