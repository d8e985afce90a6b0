// How the work is handed over, out of what the task file says.
import path from "node:path";
import type { Deliver } from "#spec/task";
import { child, type Located } from "./located.ts";
import type { MergedTask } from "./schema.ts";

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
