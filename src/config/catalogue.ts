// Lookup of the types of one kind of part (agents, gates, strategies, memories) that a task file may name, with their option schemas.
import type { z } from "zod";

export interface Catalogue<Traits = object> {
  readonly kind: string;
  has(type: string): boolean;
  list(): readonly string[];
  get(type: string): { readonly options?: z.ZodType };
  /** Traits of a type. Empty for a type that has none, and for an unknown type, such as that of a live object. */
  traits(type: string): Partial<Traits>;
}
