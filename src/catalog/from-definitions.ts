// Derives a registry and the SDK helpers from a list of definitions.
import type { Definition, PartContext } from "#options/part";
import { createRegistry, type Registry } from "./registry.ts";

export function registryOf<Port, Traits>(
  kind: string,
  definitions: readonly Definition<Port, Traits>[],
): Registry<Port, PartContext, Traits> {
  const registry = createRegistry<Port, PartContext, Traits>(kind);
  for (const definition of definitions) registry.register(definition.type, definition);
  return registry;
}

interface WithHelper {
  readonly type: string;
  readonly helper: unknown;
}

/** The helpers of a list of definitions, by type. */
type Helpers<Definitions extends readonly WithHelper[]> = {
  readonly [Each in Definitions[number] as Each["type"]]: Each["helper"];
};

export function helpersOf<const Definitions extends readonly WithHelper[]>(
  definitions: Definitions,
): Helpers<Definitions> {
  return Object.fromEntries(definitions.map(({ type, helper }) => [type, helper])) as Helpers<Definitions>;
}
