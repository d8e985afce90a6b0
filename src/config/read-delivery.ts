// Reads `deliver` of a task file.
import path from "node:path";
import type { Deliver } from "#spec/task";
import { child, type Located, textOf } from "./located.ts";
import type { Problems } from "./problems.ts";
import type { MergedTask } from "./schema.ts";

type Type = Deliver["type"];

/** Options that only some delivery types have. */
const ONLY_WITH: Readonly<Partial<Record<keyof Deliver, readonly Type[]>>> = {
  branch: ["branch", "pull-request"],
  message: ["branch", "commit", "pull-request"],
  remote: ["pull-request"],
  base: ["pull-request"],
  file: ["patch"],
};

/** Explains why an option has no effect with the type; undefined when it has one. */
export function explainNoEffect(type: string, option: string): string | undefined {
  const types: readonly string[] | undefined = ONLY_WITH[option as keyof Deliver];
  const applies = type === "none" ? option === "type" : !types || types.includes(type);
  if (applies) return undefined;
  return `has no effect with ${type}${types ? `; use it with ${types.join(", ")}` : ""}`;
}

export function checkDeliver(tree: Located, problems: Problems): void {
  const deliver = child(tree, "deliver");
  const type = textOf(child(deliver, "type"));
  if (deliver?.kind !== "map" || type === undefined) return;
  for (const [option, node] of deliver.entries) {
    const why = explainNoEffect(type, option);
    if (why) problems.add(node.keyAt, `deliver.${option} ${why}`);
  }
}

/** Resolves the patch file relative to the layer that names it. */
export function readDeliver(
  option: MergedTask["deliver"],
  node: Located | undefined,
  dir: string,
): Deliver | undefined {
  const { type, whenRed = false, remote = "origin", file, ...rest } = { ...NO_DELIVERY, ...option };
  if (type === "none") return undefined;
  const options = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    type,
    remote,
    whenRed,
    ...Object.fromEntries(options),
    ...(file !== undefined && { file: path.resolve(child(node, "file")?.dir ?? dir, file) }),
  };
}

const NO_DELIVERY: Partial<Omit<Deliver, "type">> & { readonly type: "none" | Deliver["type"] } = {
  type: "none",
};
