// What is told of how agents are shut off: not the folders.
import type { Isolated, Isolation } from "./agent.ts";

export function isolated({ tier, by, why }: Isolation): Isolated {
  return { tier, ...(by && { by }), ...(why !== undefined && { why }) };
}
