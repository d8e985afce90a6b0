// The approval gate as people write it, and who may answer it.
import * as z from "zod";
import { duration } from "#config/duration";
import { count, names, text } from "#config/values";
import { type ApprovalOptions, approval } from "#gates/approval";
import type { Gate } from "#spec/gate";
import type { Component, GateSpec } from "#spec/task";
import type { PartContext } from "./part-context.ts";
import type { Entry } from "./registry.ts";
import { given } from "./shared-options.ts";

const options = z
  .strictObject({
    approvers: names.optional(),
    minimum: count(100).optional(),
    message: text.optional(),
    timeout: duration.optional(),
  })
  .superRefine(({ approvers, minimum = 1 }, context) => {
    const people = new Set(approvers).size;
    if (approvers && minimum > people)
      context.addIssue({
        code: "custom",
        path: [people === 0 ? "approvers" : "minimum"],
        message:
          people === 0
            ? "expected at least one name; leave it out to let anybody approve"
            : `expected no more than the ${people} approvers there are, got ${minimum}`,
      });
  })
  .transform(({ timeout, ...rest }): ApprovalOptions => given({ ...rest, timeoutMs: timeout }));

export const approvalEntry: Entry<Gate, PartContext, ApprovalOptions> = {
  options,
  create: (parsed, { name }) => approval(name, parsed),
};

/** A person's word decides about this gate. */
export function asksPeople({ use, policy }: GateSpec): boolean {
  return use.type === "approval" || policy.condition === "manual";
}

/** The names of those who may answer; none: anybody. */
export function approversOf({ type, ...rest }: Component): readonly string[] {
  return type === "approval" ? (options.safeParse(rest).data?.approvers ?? []) : [];
}
