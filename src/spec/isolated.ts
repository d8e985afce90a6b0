// The part of an isolation that is recorded and shown: without the folders.
import type { Isolated, Isolation } from "./agent.ts";

export function isolated({ tier, by, why }: Isolation): Isolated {
  return { tier, ...(by && { by }), ...(why !== undefined && { why }) };
}
