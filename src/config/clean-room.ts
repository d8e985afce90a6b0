// Clean rooms: their options, which gates judge in one, and its setup, cache and environment.
import fs from "node:fs";
import path from "node:path";
import * as z from "zod";
import { duration } from "#options/duration";
import { option, TYPE_NAME } from "#options/option";
import type { GateTraits } from "#options/part";
import { wordsOr } from "#options/sentence";
import { names, onOff, text } from "#options/values";
import type { CleanRoom, GateSpec } from "#spec/task";
import { isNeverAllowed } from "#system/environment";
import { readTail } from "#system/files";
import { normaliseInside } from "#system/inside";
import type { Catalogue } from "./catalogue.ts";
import { child, itemsOf, type Located, type Problems, type TaskReader, textOf } from "./located.ts";

const cleanRoomMap = z.strictObject({
  setup: option({
    schema: names.meta({ [TYPE_NAME]: "command or list of commands" }),
    defaultText: "the install command of the lockfile",
    doc: "Shell commands that prepare the fresh copy; `none` runs none.",
  }),
  setupTimeout: option({
    schema: duration,
    default: "10m",
    doc: "Time limit of all setup commands together.",
  }),
  cache: option({
    schema: z.record(text, names),
    defaultText: "`node_modules` with a lockfile, outside of monorepos",
    doc: "Folders that setup fills, each with the files that it is built from.",
  }),
  env: option({ schema: names, default: [], doc: "Names of further environment variables that gates see." }),
});

export const cleanRoom = z.union(
  [
    onOff.transform((on) => ({ on, ...cleanRoomMap.parse({}) })),
    cleanRoomMap.transform((options) => ({ on: true, ...options })),
  ],
  { error: wordsOr(["on", "off"], "{setup: …, cache: …}") },
);

type CleanRoomOption = z.output<typeof cleanRoom>;

/** Sets `cleanRoom` on each gate. A gate's own setting overrides the task's. */
export function applyCleanRoom(
  gates: readonly GateSpec[],
  option: CleanRoomOption,
  catalogue: Catalogue<GateTraits>,
): readonly GateSpec[] {
  return gates.map((gate) => {
    const { cleanRoom: own, ...policy } = gate.policy;
    const cleanRoom = own ?? (option.on && (catalogue.traits(gate.use.type).cleanRoom ?? true));
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
  const install = resolveSetup(option, dir);
  const cache = option.cache && Object.entries(option.cache).map(([folder, key]) => ({ path: folder, key }));
  return {
    setup: install.setup,
    setupMs: option.setupTimeout,
    cache: cache ?? install.cache,
    env: option.env,
  };
}

/** The setup of the task, else the install command of the lockfile. */
function resolveSetup({ setup }: CleanRoomOption, dir: string): Pick<CleanRoom, "setup" | "cache"> {
  if (setup === undefined) return findInstallCommand(dir);
  return { setup: setup.length === 1 && setup[0] === "none" ? [] : setup, cache: [] };
}

/** Rejects options without effect, and paths or variables that would break the isolation of a clean room. */
export function checkCleanRoom(reader: TaskReader, source: CleanRoomSource): void {
  const { tree, problems } = reader;
  checkGatePaths(reader, source);
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
  if (cache?.kind === "map")
    for (const [folder, key] of cache.entries) checkCacheEntry(folder, key, problems);
  for (const name of itemsOf(child(node, "env"))) checkVariable(name, problems);
}

/** Rejects the absolute path of the workspace in a gate: it holds the agent's files, not the copy that is judged. */
function checkGatePaths({ tree, problems }: TaskReader, { gates, dir }: CleanRoomSource): void {
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

function checkCacheEntry(folder: string, key: Located, problems: Problems): void {
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

type Install = Pick<CleanRoom, "setup" | "cache">;

const INSTALL_COMMANDS: Readonly<Record<string, (lock: string) => string>> = {
  "package-lock.json": () => "npm ci",
  "npm-shrinkwrap.json": () => "npm ci",
  "pnpm-lock.yaml": () => "pnpm install --frozen-lockfile",
  "yarn.lock": (lock) =>
    /^# yarn lockfile v1$/m.test(lock) ? "yarn install --frozen-lockfile" : "yarn install --immutable",
  "bun.lock": () => "bun install --frozen-lockfile",
  "bun.lockb": () => "bun install --frozen-lockfile",
};

const LOCK_BYTES = 1_048_576;

/** The install command of the project's lockfile. No setup without a known lockfile. */
function findInstallCommand(dir: string): Install {
  const isFile = (name: string) => fs.statSync(path.join(dir, name), { throwIfNoEntry: false })?.isFile();
  const lock = Object.keys(INSTALL_COMMANDS).find(isFile);
  if (lock === undefined) return { setup: [], cache: [] };
  const setup = [INSTALL_COMMANDS[lock]?.(readTail(path.join(dir, lock), LOCK_BYTES)) ?? ""];
  // No cache in a monorepo: only the package manager knows which folders install fills.
  if (isFile("pnpm-workspace.yaml") || hasWorkspaces(path.join(dir, "package.json")))
    return { setup, cache: [] };
  return { setup, cache: [{ path: "node_modules", key: [lock, "package.json", ".npmrc"] }] };
}

function hasWorkspaces(file: string): boolean {
  try {
    return (JSON.parse(readTail(file, LOCK_BYTES)) as { workspaces?: unknown }).workspaces !== undefined;
  } catch {
    return false;
  }
}
