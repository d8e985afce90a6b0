// How the work is handed over: the options of `deliver`, and which of them apply to which type.
import path from "node:path";
import * as z from "zod";
import { dropUndefined, option, requiredOption } from "#options/option";
import { wordsOr } from "#options/sentence";
import { text } from "#options/values";
import type { Deliver } from "#spec/task";
import { child, type Located, type TaskReader, textOf } from "./located.ts";

const deliverType = z.enum(["none", "branch", "commit", "patch", "pull-request"]);

const deliverMap = z.strictObject({
  type: requiredOption({ schema: deliverType, doc: "How the work is handed over." }),
  branch: option({ schema: text, defaultText: "`converge/RUN`", doc: "Name of the branch." }),
  message: option({ schema: text, doc: "Message of the commit, and title of the pull request." }),
  remote: option({
    schema: text,
    default: "origin",
    doc: "Remote that receives the branch of a pull request.",
  }),
  base: option({ schema: text, doc: "Target branch of the pull request." }),
  file: option({ schema: text, defaultText: "in the state folder", doc: "File that receives the patch." }),
  whenRed: option({
    schema: z.boolean(),
    default: false,
    doc: "Whether a run that ended with failing gates is delivered too.",
  }),
});

export const deliver = z.union([deliverType.transform((type) => deliverMap.parse({ type })), deliverMap], {
  error: wordsOr(deliverType.options, "{type: …}"),
});

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

export function checkDeliver({ tree, problems }: TaskReader): void {
  const node = child(tree, "deliver");
  const type = textOf(child(node, "type"));
  if (node?.kind !== "map" || type === undefined) return;
  for (const [name, entry] of node.entries) {
    const why = explainNoEffect(type, name);
    if (why) problems.add(entry.keyAt, `deliver.${name} ${why}`);
  }
}

/** Resolves the patch file relative to the layer that names it, or to `dir`. Undefined without a delivery. */
export function resolveDeliver(
  { type, file, ...rest }: z.output<typeof deliver>,
  node: Located | undefined,
  dir: string,
): Deliver | undefined {
  if (type === "none") return undefined;
  const patch = file === undefined ? undefined : path.resolve(child(node, "file")?.dir ?? dir, file);
  return dropUndefined({ type, ...rest, file: patch });
}
