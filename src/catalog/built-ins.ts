// The one list of built-in parts: a line per part. Registries, SDK helpers, help texts and traits are derived from it.
import { acpAgent } from "#agents/acp/acp-agent";
import { CLI_AGENTS } from "#agents/cli/drivers";
import { commandAgent } from "#agents/command-agent";
import { scriptedAgent } from "#agents/scripted-agent";
import { approvalGate } from "#gates/approval";
import { ciGate } from "#gates/ci/ci";
import { commandGate } from "#gates/command";
import { convergenceGate } from "#gates/convergence";
import { judgeGate } from "#gates/judge";
import { levelsGate } from "#gates/levels/levels";
import { capturedMemory } from "#memory/captured";
import { hybridMemory } from "#memory/hybrid";
import { noMemory } from "#memory/none";
import { structuredMemory } from "#memory/structured";
import { summarizedMemory } from "#memory/summarized";
import type { GateTraits, PartContext, StrategyTraits } from "#options/part";
import type { Agent } from "#spec/agent";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Strategy } from "#spec/strategy";
import { adaptiveStrategy } from "#strategies/adaptive/adaptive";
import { fixedStrategy } from "#strategies/fixed";
import { hybridStrategy } from "#strategies/hybrid";
import { manualStrategy } from "#strategies/manual";
import { ralphStrategy } from "#strategies/ralph";
import { customStrategyPart } from "./custom/custom-strategy.ts";
import { helpersOf, registryOf } from "./from-definitions.ts";
import type { Registry } from "./registry.ts";

/** Definitions of all built-in parts, by kind. A coding-agent CLI is a line in `agents/cli/drivers.ts`. */
const DEFINITIONS = {
  agents: [commandAgent, acpAgent, scriptedAgent, ...CLI_AGENTS],
  gates: [commandGate, ciGate, levelsGate, approvalGate, convergenceGate, judgeGate],
  strategies: [
    fixedStrategy,
    hybridStrategy,
    ralphStrategy,
    adaptiveStrategy,
    manualStrategy,
    customStrategyPart,
  ],
  memories: [capturedMemory, structuredMemory, summarizedMemory, hybridMemory, noMemory],
} as const;

export interface Registries {
  readonly agents: Registry<Agent, PartContext>;
  readonly gates: Registry<Gate, PartContext, GateTraits>;
  readonly strategies: Registry<Strategy, PartContext, StrategyTraits>;
  readonly memories: Registry<Memory, PartContext>;
}

/** Creates new registries on every call, so that one caller's registrations never reach another. */
export function builtIns(): Registries {
  return {
    agents: registryOf<Agent, object>("agent", DEFINITIONS.agents),
    gates: registryOf<Gate, GateTraits>("gate", DEFINITIONS.gates),
    strategies: registryOf<Strategy, StrategyTraits>("strategy", DEFINITIONS.strategies),
    memories: registryOf<Memory, object>("memory", DEFINITIONS.memories),
  };
}

/** SDK helpers by type: `gate.command("npm test")` describes a gate as plain data. */
export const agent = helpersOf(DEFINITIONS.agents);
export const gate = helpersOf(DEFINITIONS.gates);
export const strategy = helpersOf(DEFINITIONS.strategies);
export const memory = helpersOf(DEFINITIONS.memories);
