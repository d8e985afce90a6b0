// No memory: every iteration starts from files and feedback alone.
import * as z from "zod";
import { defineMemory } from "#options/part";
import type { Memory } from "#spec/memory";

export function none(): Memory {
  return { recall: () => "" };
}

export const noMemory = defineMemory({
  type: "none",
  summary: "No memory: every iteration starts from the files and the feedback.",
  options: z.strictObject({}),
  create: () => none(),
});
