// Registry of agents, gates, strategies or memories: maps a type name to an option schema, a factory and traits.
import type { z } from "zod";
import type { Catalogue } from "#config/catalogue";
import { check } from "#options/issues";
import { UsageError } from "#spec/errors";
import type { Component } from "#spec/task";
import { unknownName } from "#text/nearest-name";

export interface Entry<Port, Context, Options = unknown, Traits = object> {
  /** Strict schema of the options besides `type`. Without it, options are passed through unchecked. */
  readonly options?: z.ZodType<Options>;
  /** One sentence for help texts. */
  readonly summary?: string;
  /** What the rest of Converge knows about the type. Without it, defaults apply. */
  readonly traits?: Traits;
  create(options: Options, context: Context): Port | Promise<Port>;
}

export interface Registry<Port, Context, Traits = object> extends Catalogue<Traits> {
  register<Options>(
    type: string,
    entry: Entry<Port, Context, Options, Traits>,
    how?: { readonly overwrite?: boolean },
  ): void;
  get(type: string): Entry<Port, Context, unknown, Traits>;
  /** Throws UsageError for an unknown type or invalid options. */
  create(component: Component, context: Context): Port | Promise<Port>;
}

export function createRegistry<Port, Context, Traits = object>(
  kind: string,
): Registry<Port, Context, Traits> {
  const entries = new Map<string, Entry<Port, Context, unknown, Traits>>();
  const list = () => [...entries.keys()].sort();
  const get = (type: string) => {
    const entry = entries.get(type);
    if (entry === undefined) throw new UsageError(unknownName(kind, type, list()));
    return entry;
  };
  return {
    kind,
    has: (type) => entries.has(type),
    list,
    get,
    traits: (type) => entries.get(type)?.traits ?? {},
    register(type, entry, { overwrite = false } = {}) {
      if (entries.has(type) && !overwrite)
        throw new UsageError(
          `${kind} "${type}" is already registered; pass { overwrite: true } to replace it`,
        );
      entries.set(type, entry as Entry<Port, Context, unknown, Traits>);
    },
    create({ type, ...options }, context) {
      const entry = get(type);
      return entry.create(parseOptions(`${kind} "${type}"`, entry.options, options), context);
    },
  };
}

function parseOptions(name: string, schema: z.ZodType | undefined, options: unknown): unknown {
  if (schema === undefined) return options;
  const checked = check(schema, options);
  if (checked.ok) return checked.data;
  throw new UsageError(checked.findings.map(({ message }) => `${name}: ${message}`).join("\n"));
}
