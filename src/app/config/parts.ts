// Agent, strategy and memory: described by type and options, or handed in alive by the SDK.
import type { z } from "zod";
import type { Agent } from "#spec/agent";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Strategy } from "#spec/strategy";
import type { Component } from "#spec/task";
import type { Catalogue } from "../registry.ts";
import { readComponent } from "./component.ts";
import { child, type Located } from "./located.ts";
import type { Problems } from "./problems.ts";
import { liveAgent, liveMemory, liveStrategy } from "./schema.ts";

export interface Registries {
  readonly agents: Catalogue;
  readonly gates: Catalogue;
  readonly strategies: Catalogue;
  readonly memories: Catalogue;
}

/** The live parts; the task knows each only as `{type: "inline", name}`. */
export interface Inline {
  readonly agent?: Agent;
  readonly strategy?: Strategy;
  readonly memory?: Memory;
  readonly gates: ReadonlyMap<string, Gate>;
}

interface Parts {
  readonly agent: Component | undefined;
  readonly strategy: Component | undefined;
  readonly memory: Component | undefined;
  readonly inline: Omit<Inline, "gates">;
}

export function readParts(tree: Located, registries: Registries, problems: Problems): Parts {
  const inline: { agent?: Agent; strategy?: Strategy; memory?: Memory } = {};
  const read = <Live>(
    key: string,
    catalogue: Catalogue,
    live: z.ZodType<Live>,
    keep: (part: Live) => void,
  ) => {
    const node = child(tree, key);
    const part = node?.kind === "leaf" ? live.safeParse(node.value) : undefined;
    if (part?.success) {
      keep(part.data);
      return { type: "inline", name: nameOf(part.data) };
    }
    return node?.kind === "map" ? readComponent({ tree, node, path: [key], catalogue }, problems) : undefined;
  };
  return {
    agent: read("agent", registries.agents, liveAgent, (part) => {
      inline.agent = part;
    }),
    strategy: read("strategy", registries.strategies, liveStrategy, (part) => {
      inline.strategy = part;
    }),
    memory: read("memory", registries.memories, liveMemory, (part) => {
      inline.memory = part;
    }),
    inline,
  };
}

function nameOf(part: unknown): string {
  const { name } = part as { readonly name?: unknown };
  return typeof name === "string" && name !== "" ? name : "inline";
}
