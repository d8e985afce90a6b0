// Reads the gates of a task: each has a type with options, a policy and a unique name.
import { check } from "#options/issues";
import type { Gate } from "#spec/gate";
import type { Component, GatePolicy, GateSpec } from "#spec/task";
import { unknownName } from "#text/nearest-name";
import { head, plain } from "#text/plain-text";
import type { Catalogue } from "./catalogue.ts";
import { GATE_KEYS, gatePolicy, liveGate } from "./gate-options.ts";
import {
  child,
  itemsOf,
  type Located,
  type LocatedMap,
  locate,
  plainValue,
  type TaskReader,
  textOf,
} from "./located.ts";
import { readComponent } from "./read-parts.ts";

interface Gates {
  readonly specs: readonly GateSpec[];
  readonly inline: ReadonlyMap<string, Gate>;
  /** Names of all gates, including invalid ones. */
  readonly names: readonly string[];
}

export function readGates(reader: TaskReader, catalogue: Catalogue): Gates {
  const list = child(reader.tree, "gates");
  const items = list?.kind === "list" ? list.items : [];
  const names: string[] = [];
  const inline = new Map<string, Gate>();
  const specs = items.flatMap((item, index) => {
    const entry = { item, index, earlier: [...names] };
    const read = readGate(entry, catalogue, reader);
    if (read.name === undefined) return [];
    checkName(read.name, entry, reader);
    checkSkipIf(read.policyNode ?? item, entry, reader);
    names.push(read.name);
    if (read.live !== undefined) inline.set(read.name, read.live);
    const { name, use, policy } = read;
    return use !== undefined && policy !== undefined ? [{ name, use, policy }] : [];
  });
  return { specs, inline, names };
}

/** An entry of `gates`. */
interface GateEntry {
  readonly item: Located;
  readonly index: number;
  /** Names of the gates before it. */
  readonly earlier: readonly string[];
}

interface ReadGate {
  readonly name?: string;
  readonly live?: Gate;
  /** Policy keys of a gate object, as located values. */
  readonly policyNode?: Located;
  readonly use?: Component | undefined;
  readonly policy?: GatePolicy | undefined;
}

function readGate(entry: GateEntry, catalogue: Catalogue, reader: TaskReader): ReadGate {
  const { item, index } = entry;
  const live = item.kind === "leaf" ? liveGate.safeParse(item.value).data : undefined;
  if (live !== undefined) return readGateObject(live, entry, reader);
  const node = toGateMap(item);
  if (node === undefined) return {};
  const name = textOf(node.entries.get("name")) ?? defaultName(node);
  const use = readComponent(
    { node: toComponentMap(node), path: ["gates", index], catalogue, otherKeys: GATE_KEYS },
    reader,
  );
  const policy = gatePolicy.safeParse(plainValue(node)).data;
  return { ...(name === undefined ? {} : { name }), use, policy };
}

/** Reads a gate object, which may carry policy keys: `{...gate, onFailure: "stop"}`. */
function readGateObject(live: Gate, { item, index }: GateEntry, { tree, problems }: TaskReader): ReadGate {
  const policyKeys = Object.fromEntries(Object.entries(live).filter(([key]) => GATE_KEYS.includes(key)));
  const policyNode = locate(policyKeys, item);
  const policy = check<GatePolicy>(gatePolicy, plainValue(policyNode), { prefix: ["gates", index] });
  if (!policy.ok) problems.addFindings(tree, policy.findings);
  const name = typeof live.name === "string" && live.name.trim() !== "" ? live.name : undefined;
  if (name === undefined) problems.add(item.valueAt, `gates[${index}]: expected a gate with a name`);
  if (name === undefined) return {};
  return {
    name,
    live,
    policyNode,
    use: { type: "inline", name },
    policy: policy.ok ? policy.data : undefined,
  };
}

/** Expands a bare text to a command gate. */
function toGateMap(item: Located): LocatedMap | undefined {
  if (item.kind === "map") return item;
  if (textOf(item) === undefined) return undefined;
  const { keyAt, valueAt, dir } = item;
  return { keyAt, valueAt, dir, kind: "map", entries: new Map([["command", item]]) };
}

/** Keeps the type and its own options. The type defaults to "command" when there is a command. */
function toComponentMap(node: LocatedMap): LocatedMap {
  const entries = new Map([...node.entries].filter(([key]) => key === "type" || !GATE_KEYS.includes(key)));
  const { keyAt, valueAt, dir } = node;
  if (!entries.has("type") && entries.has("command"))
    entries.set("type", { keyAt, valueAt, dir, kind: "leaf", value: "command" });
  return { ...node, entries };
}

function defaultName(node: LocatedMap): string | undefined {
  const command = node.entries.get("command");
  const words = command?.kind === "list" ? command.items.map(textOf).join(" ") : textOf(command);
  const line = words === undefined ? undefined : plain(words).trim().split("\n")[0];
  return line ? head(line, 80) : textOf(node.entries.get("type"));
}

function checkName(name: string, { item, index, earlier }: GateEntry, { problems }: TaskReader): void {
  if (!earlier.includes(name)) return;
  const place = child(item, "name")?.valueAt ?? item.valueAt;
  problems.add(place, `gates[${index}]: the name "${name}" is already used; give each gate its own name`);
}

function checkSkipIf(policy: Located, { index, earlier }: GateEntry, { problems }: TaskReader): void {
  for (const node of itemsOf(child(child(policy, "skipIf"), "failed"))) {
    const name = textOf(node);
    if (name !== undefined && !earlier.includes(name))
      problems.add(
        node.valueAt,
        unknownName("earlier gate", { name, where: `gates[${index}].skipIf.failed` }, earlier),
      );
  }
}

/** Applies `gateTimeout` to command gates without a timeout. */
export function withTimeout(specs: readonly GateSpec[], timeoutMs: number | undefined): readonly GateSpec[] {
  if (timeoutMs === undefined) return specs;
  return specs.map((spec) =>
    spec.use.type === "command" && spec.use.timeout === undefined
      ? { ...spec, use: { ...spec.use, timeout: timeoutMs / 1000 } }
      : spec,
  );
}
