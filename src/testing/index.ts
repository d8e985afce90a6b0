// Conformance suites, one per port: run them against your own agent, gate, strategy, memory, store or workspace.
export { type AgentExamples, agentConformance } from "./agent.ts";
export type { TestApi } from "./api.ts";
export { type GateExamples, gateConformance } from "./gate.ts";
export { type MemoryExamples, memoryConformance } from "./memory.ts";
export type { NoteExamples } from "./note.ts";
export { type ReachableStore, reachableStoreConformance, type StoredRow } from "./reachable-store.ts";
export {
  type ExampleIteration,
  type ExampleOptions,
  exampleGate,
  exampleRun,
  exampleTask,
  exampleVerdict,
} from "./run.ts";
export { type SessionsExample, sessionsConformance } from "./sessions.ts";
export { type SharedLogsExample, sharedLogsConformance } from "./shared-logs.ts";
export { type StoreExample, storeConformance } from "./store.ts";
export { type StrategyExamples, strategyConformance } from "./strategy.ts";
export { workspaceConformance } from "./workspace.ts";
