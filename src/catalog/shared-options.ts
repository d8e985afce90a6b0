// Option schemas that several types of parts share.
import path from "node:path";
import * as z from "zod";
import { durationOrZero } from "#options/duration";
import { show } from "#options/sentence";
import { text } from "#options/values";
import type { Component } from "#spec/task";
import { isNeverForAgents } from "#system/environment";

export const insideWorkspace = text.refine(
  (name) => !path.isAbsolute(name) && !path.normalize(name).startsWith(".."),
  { error: "expected a path inside the workspace" },
);
export const folderInside = insideWorkspace.refine((name) => !/^\.?\/*$/.test(path.normalize(name)), {
  error: "expected a folder inside the workspace",
});
/** An agent that a part uses: a type alone, or a type with its options. */
export const agent = z.union(
  [text.transform((type): Component => ({ type })), z.looseObject({ type: text })],
  { error: ({ input }) => `expected an agent's type or {type: …}, got ${show(input)}` },
);
export const fraction = z.number().min(0).max(1);
export const program = z.union([text, z.array(text).min(1)]);
export const env = z.record(z.string(), z.string());
/** Names of variables, or `PREFIX_*`. Rejects names that are never passed to an agent instead of dropping them silently. */
export const passEnv = z.array(
  text
    .regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, { error: "expected the name of a variable, or PREFIX_*" })
    .refine((name) => !isNeverForAgents(name.replace(/\*$/, "")), {
      error: "is never passed on, because it steers other programs; write its value under env",
    }),
);
export const grace = z
  .strictObject({ interrupt: durationOrZero.default(7_500), terminate: durationOrZero.default(2_500) })
  .transform(({ interrupt, terminate }) => ({ interruptMs: interrupt, terminateMs: terminate }));

/** Accepts one value or a list of them. */
export const oneOrMore = <T extends z.ZodType<string>>(one: T, what: string) =>
  z.union([one.transform((value) => [value]), z.array(one).min(1)], {
    error: ({ input }) => `expected ${what} or a list of them, got ${show(input)}`,
  });
export const globs = oneOrMore(insideWorkspace, "a path or glob");

/** Drops undefined options, so that the part's own defaults apply. */
export function given<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}
