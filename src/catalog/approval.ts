// Option schema of the approval gate, and who may answer it.
import * as z from "zod";
import { type ApprovalOptions, approval } from "#gates/approval";
import { duration } from "#options/duration";
import { count, names, text } from "#options/values";
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
            ? "expected at least one name; omit approvers to let anybody approve"
            : `expected at most ${people}, the number of approvers, got ${minimum}`,
      });
  })
  .transform(({ timeout, ...rest }): ApprovalOptions => given({ ...rest, timeoutMs: timeout }));

export const approvalEntry: Entry<Gate, PartContext, ApprovalOptions> = {
  options,
  create: (parsed, { name }) => approval(name, parsed),
};

/** True when a person's answer decides this gate. */
export function needsPerson({ use, policy }: GateSpec): boolean {
  return use.type === "approval" || policy.condition === "manual";
}

/** Names of the people who may answer. An empty list means anybody. */
export function approversOf({ type, ...rest }: Component): readonly string[] {
  return type === "approval" ? (options.safeParse(rest).data?.approvers ?? []) : [];
}
