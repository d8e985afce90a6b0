// Schemas of the basic values of a task file.
import * as z from "zod";
import { TYPE_NAME } from "./option.ts";
import { show, wordsOr } from "./sentence.ts";

/** A non-blank text. */
export const text = z.string().regex(/\S/, { error: "expected some text, got only blanks" });

/** A whole number from 1; the upper bound catches typos. */
export const count = (max: number) => z.int().min(1).max(max);

/** A number above 0. */
export const positive = (max: number) => z.number().gt(0).max(max);

/** One name or several. */
export const names = z
  .union([text.transform((name) => [name]), z.array(text)], {
    error: ({ input }) => `expected a name or a list of names, got ${show(input)}`,
  })
  .meta({ [TYPE_NAME]: "name or list of names" });

/** YAML 1.2 reads on and off as text. */
export const onOff = z
  .union([z.boolean(), z.enum(["on", "off"]).transform((word) => word === "on")], {
    error: wordsOr(["on", "off", "true"], "false"),
  })
  .meta({ [TYPE_NAME]: "`on` or `off`" });
