// A task is kept with its run: a secret that is written into it is refused, and the message says where it belongs.
import { looksSecret } from "#system/secrets/secrets";
import { pathName } from "./issues.ts";
import { child, type Located, type Path, textOf } from "./located.ts";
import type { Problems } from "./problems.ts";

const PARTS = ["agent", "agents", "gates", "memory"] as const;

/** Of all variables that are given with their values, whatever part of the task they are for. */
export function checkSecrets(tree: Located, problems: Problems): void {
  for (const part of PARTS) {
    const node = child(tree, part);
    if (node) look(node, [part], problems);
  }
}

function look(node: Located, at: Path, problems: Problems): void {
  if (node.kind === "leaf") return;
  const entries = node.kind === "map" ? node.entries : node.items.entries();
  for (const [key, entry] of entries)
    if (at.at(-1) === "env") checkVariable(String(key), entry, at, problems);
    else look(entry, [...at, key], problems);
}

function checkVariable(name: string, node: Located, at: Path, problems: Problems): void {
  if (!looksSecret(name, textOf(node) ?? "")) return;
  // A gate that asks an agent gives that agent its environment.
  const isOfGate = at[0] === "gates" && !at.includes("agent");
  const next = isOfGate
    ? "set it in the environment, which the gate sees; for a clean room, name it in cleanRoom.env"
    : "set it in the environment, and name it in passEnv";
  problems.add(node.keyAt, `${pathName([...at, name])} looks secret and would be kept with the run; ${next}`);
}
