// From how agents are to be shut off to how one process is: what it reads and writes besides the workspace.
import type { AgentRequest } from "#spec/agent";
import type { Enclosure } from "#system/enclosure/enclosure";
import { filesOf } from "./agent-files.ts";

type Besides = Pick<Enclosure, "reads" | "writes">;

/** For `ProcessRequest`; nothing when a process group and a list of variables are all there is. */
export function enclosureFor(request: AgentRequest, { reads, writes }: Besides): { enclosure?: Enclosure } {
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
