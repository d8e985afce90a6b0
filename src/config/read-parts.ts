// Reads agents, strategy and memory: described by type and options, or passed as objects by the SDK.
import type { z } from "zod";
import type { Path } from "#options/issues";
import type { GateTraits, StrategyTraits } from "#options/part";
import type { Agent } from "#spec/agent";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Strategy } from "#spec/strategy";
import type { Component } from "#spec/task";
import type { Catalogue } from "./catalogue.ts";
import { readComponent } from "./component.ts";
import { child, type Located } from "./located.ts";
import { expand } from "./merge.ts";
import type { Problems } from "./problems.ts";
import { liveAgent, liveMemory, liveStrategy } from "./schema.ts";

export interface Registries {
  readonly agents: Catalogue;
  readonly gates: Catalogue<GateTraits>;
  readonly strategies: Catalogue<StrategyTraits>;
  readonly memories: Catalogue;
}

/** Part objects of the SDK. The task stores each only as `{type: "inline", name}`. */
export interface Inline {
  /** By index in the task. */
  readonly agents: ReadonlyMap<number, Agent>;
  readonly strategy?: Strategy;
  readonly memory?: Memory;
  readonly gates: ReadonlyMap<string, Gate>;
}

interface Parts {
  /** Undefined when one of them is invalid. */
  readonly agents: readonly Component[] | undefined;
  readonly strategy: Component | undefined;
  readonly memory: Component | undefined;
  readonly inline: Omit<Inline, "gates">;
}

/** Lists the agents from `agents`, or from `agent`. */
function agentNodes(tree: Located): readonly { readonly node: Located; readonly path: Path }[] {
  const list = child(tree, "agents");
  if (list?.kind === "list")
    return list.items.map((item, index) => ({ node: expand(item), path: ["agents", index] }));
  const one = child(tree, "agent");
  return one ? [{ node: one, path: ["agent"] }] : [];
}

export function readParts(tree: Located, registries: Registries, problems: Problems): Parts {
  const inline: { strategy?: Strategy; memory?: Memory } = {};
  const inlineAgents = new Map<number, Agent>();
  const read = <Live>(
    { node, path }: { readonly node: Located | undefined; readonly path: Path },
    catalogue: Catalogue,
    schema: z.ZodType<Live>,
    keep: (part: Live) => void,
  ): Component | undefined => {
    const part = node?.kind === "leaf" ? schema.safeParse(node.value) : undefined;
    if (part?.success) {
      keep(part.data);
      return { type: "inline", name: nameOf(part.data) };
    }
    return node?.kind === "map" ? readComponent({ tree, node, path, catalogue }, problems) : undefined;
  };
  const at = (key: string) => ({ node: child(tree, key), path: [key] });
  const agents = agentNodes(tree).map((place, index) =>
    read(place, registries.agents, liveAgent, (part) => inlineAgents.set(index, part)),
  );
  return {
    agents: agents.every((agent) => agent !== undefined) ? agents : undefined,
    strategy: read(at("strategy"), registries.strategies, liveStrategy, (part) => {
      inline.strategy = part;
    }),
    memory: read(at("memory"), registries.memories, liveMemory, (part) => {
      inline.memory = part;
    }),
    inline: { ...inline, agents: inlineAgents },
  };
}

function nameOf(part: unknown): string {
  const { name } = part as { readonly name?: unknown };
  return typeof name === "string" && name !== "" ? name : "inline";
}
