// The small values that task files are made of.
import * as z from "zod";
import { show, wordsOr } from "./sentence.ts";

/** Text with something in it. */
export const text = z
  .string()
  .refine((value) => value.trim() !== "", { error: "expected some text, got only blanks" });

/** A whole number from 1 on; the upper bound catches slips. */
export const count = (most: number) => z.int().min(1).max(most);

/** A number above 0. */
export const positive = (most: number) => z.number().gt(0).max(most);

/** One name or several. */
export const names = z.union([text.transform((name) => [name]), z.array(text)], {
  error: ({ input }) => `expected a name or a list of names, got ${show(input)}`,
});

/** YAML 1.2 reads on and off as text. */
export const onOff = z.union([z.boolean(), z.enum(["on", "off"]).transform((word) => word === "on")], {
  error: wordsOr(["on", "off", "true"], "false"),
});
