// Rejects secrets written into a task, because the task is stored with its run. The message says where the secret belongs.

import type { Path } from "#options/issues";
import { pathName } from "#options/issues";
import { looksSecret } from "#system/secrets/secrets";
import { child, type Located, textOf } from "./located.ts";
import type { Problems } from "./problems.ts";

const PARTS = ["agent", "agents", "gates", "memory"] as const;

/** Checks every `env` map of the task. */
export function checkSecrets(tree: Located, problems: Problems): void {
  for (const part of PARTS) {
    const node = child(tree, part);
    if (node) checkNode(node, [part], problems);
  }
}

function checkNode(node: Located, at: Path, problems: Problems): void {
  if (node.kind === "leaf") return;
  const entries = node.kind === "map" ? node.entries : node.items.entries();
  for (const [key, entry] of entries)
    if (at.at(-1) === "env") checkVariable(String(key), entry, at, problems);
    else checkNode(entry, [...at, key], problems);
}

function checkVariable(name: string, node: Located, at: Path, problems: Problems): void {
  if (!looksSecret(name, textOf(node) ?? "")) return;
  // The `env` of an agent inside a gate belongs to that agent.
  const isGateEnv = at[0] === "gates" && !at.includes("agent");
  const advice = isGateEnv
    ? "set it in the environment, which the gate inherits; for a clean room, list it in cleanRoom.env"
    : "set it in the environment, and list it in passEnv";
  problems.add(
    node.keyAt,
    `${pathName([...at, name])} looks like a secret and would be stored with the run; ${advice}`,
  );
}
