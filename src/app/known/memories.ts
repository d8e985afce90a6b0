// Each memory that Converge comes with, the options it understands, and its maker.
import { z } from "zod";
import { captured } from "#memory/captured";
import { none } from "#memory/none";
import type { Memory } from "#spec/memory";
import { count } from "../config/values.ts";
import { createRegistry, type Registry } from "../registry.ts";
import type { PartContext } from "./context.ts";
import { given } from "./options.ts";

export function memories(): Registry<Memory, PartContext> {
  const registry: Registry<Memory, PartContext> = createRegistry("memory");
  registry.register("captured", {
    options: z.strictObject({ entries: count(1000).optional(), chars: count(4000).optional() }),
    create: (options) => captured(given(options)),
  });
  registry.register("none", { options: z.strictObject({}), create: () => none() });
  return registry;
}
