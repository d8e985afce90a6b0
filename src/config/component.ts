// A part described by its type and options: the registry says which types there are and what each understands.
import path from "node:path";
import type { Component } from "#spec/task";
import { unknownName } from "#text/nearest-name";
import type { Catalogue } from "./catalogue.ts";
import { check, pathName } from "./issues.ts";
import { type Located, type LocatedMap, type Path, plainValue, textOf } from "./located.ts";
import type { Problems } from "./problems.ts";
import { show } from "./sentence.ts";

interface Described {
  /** The whole task, for places. */
  readonly tree: Located;
  readonly node: LocatedMap;
  readonly path: Path;
  readonly catalogue: Catalogue;
  /** Keys of the same map that are not options of the type. */
  readonly otherKeys?: readonly string[];
}

/** The options stay as they were written, but for paths: the registry reads them again whenever the part is made. */
export function readComponent(described: Described, problems: Problems): Component | undefined {
  const { node, catalogue } = described;
  const typeNode = node.entries.get("type");
  const type = textOf(typeNode);
  if (type === undefined) {
    if (typeNode === undefined) {
      const known = catalogue.list().join(", ");
      problems.add(node.valueAt, `${pathName(described.path)}: expected a type (known: ${known})`);
    }
    return undefined;
  }
  if (!catalogue.has(type)) {
    problems.add(typeNode?.valueAt ?? node.valueAt, unknownName(catalogue.kind, type, catalogue.list()));
    return undefined;
  }
  const options = plainValue(optionsOf(node)) as Record<string, unknown>;
  return checkOptions(described, type, options, problems) ? { type, ...options } : undefined;
}

function checkOptions(described: Described, type: string, options: unknown, problems: Problems): boolean {
  const { tree, node, path: at, catalogue, otherKeys = [] } = described;
  const before = unstorable(node, at);
  for (const { place, message } of before) problems.add(place, message);
  const schema = catalogue.get(type).options;
  if (before.length > 0 || schema === undefined) return before.length === 0;
  const checked = check<unknown>(schema, options, at, [...new Set(["type", ...otherKeys])]);
  if (!checked.ok) problems.found(tree, checked.findings);
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

/** Options are stored with the run, so they are plain data: no functions, no NaN. */
function unstorable(node: Located, at: Path): readonly { place: string; message: string }[] {
  if (node.kind === "map")
    return [...node.entries].flatMap(([key, entry]) => unstorable(entry, [...at, key]));
  if (node.kind === "list") return node.items.flatMap((item, index) => unstorable(item, [...at, index]));
  const { value } = node;
  const plain =
    value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  if (plain) return [];
  const got = typeof value === "object" ? "a live object" : show(value);
  return [{ place: node.valueAt, message: `${pathName(at)}: expected plain data, got ${got}` }];
}
