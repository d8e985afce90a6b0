// How the work is handed over, out of what the task file says.
import path from "node:path";
import type { Deliver } from "#spec/task";
import { child, type Located, textOf } from "./located.ts";
import type { Problems } from "./problems.ts";
import type { MergedTask } from "./schema.ts";

type Type = Deliver["type"];

/** Options that some types alone understand. */
const ONLY_WITH: Readonly<Partial<Record<keyof Deliver, readonly Type[]>>> = {
  branch: ["branch", "pull-request"],
  message: ["branch", "commit", "pull-request"],
  remote: ["pull-request"],
  base: ["pull-request"],
  file: ["patch"],
};

/** Why an option would be accepted and never looked at; undefined when it has a meaning. */
export function withoutEffect(type: string, option: string): string | undefined {
  const types: readonly string[] | undefined = ONLY_WITH[option as keyof Deliver];
  const fits = type === "none" ? option === "type" : !types || types.includes(type);
  if (fits) return undefined;
  return `has no effect with ${type}${types ? `; it goes with ${types.join(", ")}` : ""}`;
}

export function checkDeliver(tree: Located, problems: Problems): void {
  const deliver = child(tree, "deliver");
  const type = textOf(child(deliver, "type"));
  if (deliver?.kind !== "map" || type === undefined) return;
  for (const [option, node] of deliver.entries) {
    const why = withoutEffect(type, option);
    if (why) problems.add(node.keyAt, `deliver.${option} ${why}`);
  }
}

/** The file of a patch starts from the folder of the layer that wrote it. */
export function readDeliver(
  written: MergedTask["deliver"],
  node: Located | undefined,
  dir: string,
): Deliver | undefined {
  const { type, whenRed = false, remote = "origin", file, ...rest } = { ...NOTHING, ...written };
  if (type === "none") return undefined;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    type,
    remote,
    whenRed,
    ...Object.fromEntries(given),
    ...(file !== undefined && { file: path.resolve(child(node, "file")?.dir ?? dir, file) }),
  };
}

const NOTHING: Partial<Omit<Deliver, "type">> & { readonly type: "none" | Deliver["type"] } = {
  type: "none",
};
