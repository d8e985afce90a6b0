// The SDK's front door.
import { agent, gate, memory, strategy } from "#catalog/built-ins";

export { agent, builtIns, gate, memory, type Registries, strategy } from "#catalog/built-ins";
export { createRegistry, type Entry, type Registry } from "#catalog/registry";
export type { TaskInput } from "#config/task-options";
export { type CreateSessionLoopOptions, createSessionLoop } from "#hooks/create-session-loop";
export type {
  SessionEvent,
  SessionLoopHook,
  SessionLoopState,
  SessionMessage,
  StartLoopOptions,
} from "#hooks/session-loop";
export type { Toast } from "#hooks/toast";
export type { SummarizedBy, SummarizedMemory } from "#memory/summarized";
export type { GateTraits, PartContext, StrategyTraits } from "#options/part";
export { type Convergence, type ConvergeOptions, converge, type Result } from "#sdk/converge";
export type { Agent, AgentEvent, AgentFailure, AgentRequest, AgentResult, Usage } from "#spec/agent";
export type { Command, Queued } from "#spec/command";
export type { Decision } from "#spec/decision";
export { ConfigError, ConflictError, ExtensionError, TamperedError, UsageError } from "#spec/errors";
export type { EventBody, EventType, Outcome, RunEvent } from "#spec/event";
export type { Gate, JudgeRequest } from "#spec/gate";
export type { Memory, NoteRequest } from "#spec/memory";
export type { Note } from "#spec/note";
export type { GateProgress, Phase, Progress, Trend } from "#spec/progress";
export type { Ended, Iteration, Judged, Run, RunState } from "#spec/run";
export type { SessionKey, SessionLoop, Sessions, SessionWish, Turn, TurnAnswer } from "#spec/session";
export type { RunRow, Store } from "#spec/store";
export type { Strategy } from "#spec/strategy";
export type { Component, Deliver, GatePolicy, GateSpec, Limits, Task } from "#spec/task";
export type { CheckResult, Evidence, Failure, TestCounts, Verdict, VerdictStatus } from "#spec/verdict";
export type { Delivered, DeliveryRequest, FileChange, Snapshot, Workspace } from "#spec/workspace";
export { inMemory } from "#stores/in-memory";
export { postgres } from "#stores/postgres/postgres-store";
export { sqlite } from "#stores/sqlite/sqlite-store";
export { fold, foldAll, progressOf } from "#views/run-view";

// Helpers by type, under short names. New parts need no line here: they are in `agent`, `gate`, `strategy` and `memory`.
export const { approval, command, convergence, judge, levels } = gate;
export const { scripted } = agent;
export const { custom, fixed, hybrid, manual, ralph } = strategy;
export const { captured, hybrid: hybridMemory, structured, summarized } = memory;
