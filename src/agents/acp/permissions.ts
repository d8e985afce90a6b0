// Answers the agent's permission requests immediately by policy: no person is available to ask.
import type {
  PermissionOptionKind,
  RequestPermissionOutcome,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import type { Policy } from "./policy.ts";
import { refusal } from "./policy.ts";
import type { Tool } from "./tool.ts";

export interface Permissions {
  answer(request: RequestPermissionRequest): RequestPermissionOutcome;
  /** Refusals, without duplicates. */
  readonly refused: readonly string[];
}

interface PermissionOptions {
  readonly policy: Policy;
  /** What the agent has reported about the tool call so far. */
  readonly toolOf: (call: unknown) => Tool;
  /** The turn is ending, for which the protocol has an answer of its own. */
  readonly isStopped: () => boolean;
  readonly onRefused: (why: string) => void;
}

const MAX_REFUSALS = 20;

/** Never "always": a permission is valid for one call. */
const ALLOW: readonly PermissionOptionKind[] = ["allow_once"];
const REJECT: readonly PermissionOptionKind[] = ["reject_once", "reject_always"];

function choose(
  { options }: RequestPermissionRequest,
  kinds: readonly PermissionOptionKind[],
): RequestPermissionOutcome | undefined {
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find(Boolean);
  return option && { outcome: "selected", optionId: option.optionId };
}

export function openPermissions({ policy, toolOf, isStopped, onRefused }: PermissionOptions): Permissions {
  const refused: string[] = [];
  const refuse = (request: RequestPermissionRequest, why: string): RequestPermissionOutcome => {
    if (refused.length < MAX_REFUSALS && !refused.includes(why)) refused.push(why);
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
      const onlyAlways = `${tool.kind} "${tool.title}" was refused: the agent only asks for permanent permission`;
      return choose(request, ALLOW) ?? refuse(request, onlyAlways);
    },
  };
}
