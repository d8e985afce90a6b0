// Option schemas that several types of parts share.
import * as z from "zod";
import type { Component } from "#spec/task";
import { durationOrZero } from "./duration.ts";
import { show } from "./sentence.ts";
import { text } from "./values.ts";

/** Number of folders between the workspace and a relative path; undefined when the path leaves the workspace. */
function depthInWorkspace(name: string): number | undefined {
  if (name.startsWith("/")) return undefined;
  let depth = 0;
  for (const part of name.split("/")) {
    if (part === "..") depth -= 1;
    else if (part !== "" && part !== ".") depth += 1;
    if (depth < 0) return undefined;
  }
  return depth;
}

export const insideWorkspace = text.refine((name) => depthInWorkspace(name) !== undefined, {
  error: "expected a path inside the workspace",
});
export const folderInside = insideWorkspace.refine((name) => depthInWorkspace(name) !== 0, {
  error: "expected a folder inside the workspace",
});
/** An agent that a part uses: a type alone, or a type with its options. */
export const agentOption = z.union(
  [text.transform((type): Component => ({ type })), z.looseObject({ type: text })],
  { error: ({ input }) => `expected an agent's type or {type: …}, got ${show(input)}` },
);
export const fraction = z.number().min(0).max(1);
export const program = z.union([text, z.array(text).min(1)]);
export const env = z.record(z.string(), z.string());
export const grace = z
  .strictObject({ interrupt: durationOrZero.default(7_500), terminate: durationOrZero.default(2_500) })
  .transform(({ interrupt, terminate }) => ({ interruptMs: interrupt, terminateMs: terminate }));

/** Accepts one value or a list of them. */
export const oneOrMore = <T extends z.ZodType<string>>(one: T, what: string) =>
  z.union([one.transform((value) => [value]), z.array(one).min(1)], {
    error: ({ input }) => `expected ${what} or a list of them, got ${show(input)}`,
  });
export const globs = oneOrMore(insideWorkspace, "a path or glob");
