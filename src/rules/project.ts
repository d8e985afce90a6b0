// Identifies the project of a run (its folder or repository) and its agent, for what is learned across runs.
import type { Component, Task, WorkspaceSpec } from "#spec/task";

/** The project key: a folder starts with a slash, a URL never does. */
export function projectOf({ git, dir }: WorkspaceSpec): string {
  if (!git) return dir;
  return git.url.startsWith("/") ? `file://${git.url}` : git.url;
}

/** Identifies the first agent of a task: its type, with the model, command or name that tells it apart. */
export function agentOf({ agents: [first] }: Task): string {
  const {
    type = "",
    model,
    command,
    name,
    host,
  } = (first ?? {}) as Partial<Component> & Record<string, unknown>;
  return JSON.stringify([type, model ?? command ?? name ?? host ?? null]);
}
