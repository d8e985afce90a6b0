// Converts the isolation settings of an agent to the sandbox of one process.
import type { AgentRequest } from "#spec/agent";
import type { Enclosure } from "#system/enclosure/enclosure";
import { filesOf } from "./agent-files.ts";

type ExtraPaths = Pick<Enclosure, "reads" | "writes">;

/** The sandbox for `ProcessRequest`; absent in the basic tier. */
export function enclosureFor(
  request: AgentRequest,
  { reads, writes }: ExtraPaths,
): { enclosure?: Enclosure } {
  const { isolation } = request;
  if (!isolation?.by || isolation.tier === "basic") return {};
  const { by, tier, network, hidden, writable } = isolation;
  return {
    enclosure: {
      by,
      strict: tier === "strict",
      network,
      hidden,
      reads: [...reads, filesOf(request).told],
      writes: [...writable, ...writes],
    },
  };
}
