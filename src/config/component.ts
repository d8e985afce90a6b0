// Reads a part from its type and options, and validates both against the registry.
import path from "node:path";
import type { Path } from "#options/issues";
import { check, pathName } from "#options/issues";
import { show } from "#options/sentence";
import type { Component } from "#spec/task";
import { unknownName } from "#text/nearest-name";
import type { Catalogue } from "./catalogue.ts";
import { type Located, type LocatedMap, plainValue, textOf } from "./located.ts";
import type { Problems } from "./problems.ts";

interface ComponentSource {
  /** The whole task, to locate findings. */
  readonly tree: Located;
  readonly node: LocatedMap;
  readonly path: Path;
  readonly catalogue: Catalogue;
  /** Keys of the same map that are not options of the type. */
  readonly otherKeys?: readonly string[];
}

/** Keeps the options as written, except that module paths become absolute: the registry parses them again whenever it creates the part. */
export function readComponent(source: ComponentSource, problems: Problems): Component | undefined {
  const { node, catalogue } = source;
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
  return checkOptions(source, type, options, problems) ? { type, ...options } : undefined;
}

function checkOptions(source: ComponentSource, type: string, options: unknown, problems: Problems): boolean {
  const { tree, node, path: at, catalogue, otherKeys = [] } = source;
  const invalid = findUnstorable(node, at);
  for (const { place, message } of invalid) problems.add(place, message);
  const schema = catalogue.get(type).options;
  if (invalid.length > 0 || schema === undefined) return invalid.length === 0;
  const checked = check<unknown>(schema, options, {
    prefix: at,
    alsoKnown: [...new Set(["type", ...otherKeys])],
  });
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
