// Answers the agent's requests for permission, each at once: nobody is there to be asked, and no request is left open.
import type {
  PermissionOptionKind,
  RequestPermissionOutcome,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import type { Policy } from "./policy.ts";
import { refusal } from "./policy.ts";
import type { Tool } from "./tool.ts";

export interface Desk {
  answer(request: RequestPermissionRequest): RequestPermissionOutcome;
  /** What was refused, each once. */
  readonly refused: readonly string[];
}

interface DeskOptions {
  readonly policy: Policy;
  /** What is known of the call, from what the agent told before and tells now. */
  readonly toolOf: (call: unknown) => Tool;
  /** The turn is being ended: the protocol has its own answer for that. */
  readonly isStopped: () => boolean;
  readonly onRefused: (why: string) => void;
}

const MOST_REFUSALS = 20;

/** Never for always: what is right for one call is not right for all. */
const ALLOW: readonly PermissionOptionKind[] = ["allow_once"];
const REJECT: readonly PermissionOptionKind[] = ["reject_once", "reject_always"];

function choose(
  { options }: RequestPermissionRequest,
  kinds: readonly PermissionOptionKind[],
): RequestPermissionOutcome | undefined {
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find(Boolean);
  return option && { outcome: "selected", optionId: option.optionId };
}

export function openDesk({ policy, toolOf, isStopped, onRefused }: DeskOptions): Desk {
  const refused: string[] = [];
  const refuse = (request: RequestPermissionRequest, why: string): RequestPermissionOutcome => {
    if (refused.length < MOST_REFUSALS && !refused.includes(why)) refused.push(why);
    onRefused(why);
    return choose(request, REJECT) ?? { outcome: "cancelled" };
  };
  return {
    refused,
    answer: (request) => {
      if (isStopped()) return { outcome: "cancelled" };
      const tool = toolOf(request.toolCall);
      const why = refusal(tool, policy);
      if (why !== undefined) return refuse(request, why);
      const unasked = `${tool.kind} "${tool.title}" was refused: the agent asks for it only once and for all`;
      return choose(request, ALLOW) ?? refuse(request, unasked);
    },
  };
}
