// Parts of a task: agents, strategy and memory, described by type and options or passed as objects by the SDK.
import path from "node:path";
import * as z from "zod";
import { check, type Path, pathName } from "#options/issues";
import { TYPE_NAME } from "#options/option";
import type { GateTraits, StrategyTraits } from "#options/part";
import { show } from "#options/sentence";
import { text } from "#options/values";
import type { Agent } from "#spec/agent";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Strategy } from "#spec/strategy";
import type { Component } from "#spec/task";
import { unknownName } from "#text/nearest-name";
import type { Catalogue } from "./catalogue.ts";
import { child, type Located, type LocatedMap, plainValue, type TaskReader, textOf } from "./located.ts";
import { expand } from "./merge-layers.ts";

const hasMethod = (method: string) => (value: unknown) =>
  typeof (value as Readonly<Record<string, unknown>> | null | undefined)?.[method] === "function";

const liveAgent = z.custom<Agent>(hasMethod("run"));
const liveMemory = z.custom<Memory>(hasMethod("recall"));
const liveStrategy = z.custom<Strategy>((value) => typeof value === "function");

/** An SDK object, a type alone, or a type with its options, which the registry validates. */
function partSchema<Live>(live: z.ZodType<Live>) {
  return z
    .union([live, text, z.looseObject({ type: text.optional() })], {
      error: ({ input }) => `expected a type or {type: …}, got ${show(input)}`,
    })
    .meta({ [TYPE_NAME]: "type or `{type: …}` with its options" });
}

export const agent = partSchema(liveAgent);
export const memory = partSchema(liveMemory);
export const strategy = partSchema(liveStrategy);

export interface Registries {
  readonly agents: Catalogue;
  readonly gates: Catalogue<GateTraits>;
  readonly strategies: Catalogue<StrategyTraits>;
  readonly memories: Catalogue;
}

/** Part objects of the SDK. The task stores each only as `{type: "inline", name}`. */
export interface Inline {
  /** By index in the task. */
  readonly agents: ReadonlyMap<number, Agent>;
  readonly strategy?: Strategy;
  readonly memory?: Memory;
  readonly gates: ReadonlyMap<string, Gate>;
}

interface Parts {
  /** Undefined when one of them is invalid. */
  readonly agents: readonly Component[] | undefined;
  readonly strategy: Component | undefined;
  readonly memory: Component | undefined;
  readonly inline: Omit<Inline, "gates">;
}

/** Lists the agents from `agents`, or from `agent`. */
function agentNodes(tree: Located): readonly { readonly node: Located; readonly path: Path }[] {
  const list = child(tree, "agents");
  if (list?.kind === "list")
    return list.items.map((item, index) => ({ node: expand(item), path: ["agents", index] }));
  const one = child(tree, "agent");
  return one ? [{ node: one, path: ["agent"] }] : [];
}

export function readParts(reader: TaskReader, registries: Registries): Parts {
  const { tree } = reader;
  const read = agentNodes(tree).map((place) =>
    readPart({ ...place, catalogue: registries.agents, live: liveAgent }, reader),
  );
  const agents = read.flatMap(({ use }) => use ?? []);
  const inlineAgents = read.flatMap(({ live }, index) => (live ? [[index, live] as const] : []));
  const at = (key: string) => ({ node: child(tree, key), path: [key] });
  const strategies = { catalogue: registries.strategies, live: liveStrategy };
  const memories = { catalogue: registries.memories, live: liveMemory };
  const { use: chosenStrategy, live: inlineStrategy } = readPart(
    { ...at("strategy"), ...strategies },
    reader,
  );
  const { use: chosenMemory, live: inlineMemory } = readPart({ ...at("memory"), ...memories }, reader);
  return {
    agents: agents.length === read.length ? agents : undefined,
    strategy: chosenStrategy,
    memory: chosenMemory,
    inline: {
      agents: new Map(inlineAgents),
      ...(inlineStrategy && { strategy: inlineStrategy }),
      ...(inlineMemory && { memory: inlineMemory }),
    },
  };
}

interface PartSource<Live> {
  readonly node: Located | undefined;
  readonly path: Path;
  readonly catalogue: Catalogue;
  readonly live: z.ZodType<Live>;
}

interface ReadPart<Live> {
  /** Undefined when the part is invalid. */
  readonly use: Component | undefined;
  /** The object, for a part of the SDK. */
  readonly live?: Live;
}

function readPart<Live>({ node, live, ...place }: PartSource<Live>, reader: TaskReader): ReadPart<Live> {
  const part = node?.kind === "leaf" ? live.safeParse(node.value) : undefined;
  if (part?.success) return { use: { type: "inline", name: nameOf(part.data) }, live: part.data };
  return { use: node?.kind === "map" ? readComponent({ ...place, node }, reader) : undefined };
}

function nameOf(part: unknown): string {
  const { name } = part as { readonly name?: unknown };
  return typeof name === "string" && name !== "" ? name : "inline";
}

interface ComponentSource {
  readonly node: LocatedMap;
  readonly path: Path;
  readonly catalogue: Catalogue;
  /** Keys of the same map that are not options of the type. */
  readonly otherKeys?: readonly string[];
}

/**
 * Reads a part from its type and options, and validates both against the registry. Keeps the options as written, except that
 * module paths become absolute: the registry parses them again whenever it creates the part.
 */
export function readComponent(source: ComponentSource, reader: TaskReader): Component | undefined {
  const { node, catalogue } = source;
  const { problems } = reader;
  const typeNode = node.entries.get("type");
  const type = textOf(typeNode);
  if (type === undefined) {
    if (typeNode === undefined) {
      const known = catalogue.list().join(", ");
      problems.add(node.valueAt, `${pathName(source.path)}: expected a type (known: ${known})`);
    }
    return undefined;
  }
  if (!catalogue.has(type)) {
    problems.add(typeNode?.valueAt ?? node.valueAt, unknownName(catalogue.kind, type, catalogue.list()));
    return undefined;
  }
  const options = plainValue(optionsOf(node)) as Record<string, unknown>;
  return checkOptions(source, { type, ...options }, reader) ? { type, ...options } : undefined;
}

function checkOptions(source: ComponentSource, { type, ...options }: Component, reader: TaskReader): boolean {
  const { node, path: at, catalogue, otherKeys = [] } = source;
  const { tree, problems } = reader;
  const invalid = findUnstorable(node, at);
  for (const { place, message } of invalid) problems.add(place, message);
  const schema = catalogue.get(type).options;
  if (invalid.length > 0 || schema === undefined) return invalid.length === 0;
  const checked = check<unknown>(schema, options, {
    prefix: at,
    alsoKnown: [...new Set(["type", ...otherKeys])],
  });
  if (!checked.ok) problems.addFindings(tree, checked.findings);
  return checked.ok;
}

function optionsOf(node: LocatedMap): LocatedMap {
  const entries = new Map(node.entries);
  entries.delete("type");
  const module = entries.get("module");
  const file = textOf(module);
  if (module !== undefined && file !== undefined)
    entries.set("module", { ...module, kind: "leaf", value: path.resolve(module.dir, file) });
  return { ...node, entries };
}

/** Finds options that are not plain data (functions, NaN): options are stored with the run as JSON. */
function findUnstorable(node: Located, at: Path): readonly { place: string; message: string }[] {
  if (node.kind === "map")
    return [...node.entries].flatMap(([key, entry]) => findUnstorable(entry, [...at, key]));
  if (node.kind === "list") return node.items.flatMap((item, index) => findUnstorable(item, [...at, index]));
  const { value } = node;
  const isPlain =
    value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  if (isPlain) return [];
  const got = typeof value === "object" ? "a live object" : show(value);
  return [{ place: node.valueAt, message: `${pathName(at)}: expected plain data, got ${got}` }];
}
