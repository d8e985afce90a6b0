// The project that a run belongs to: its folder, or its repository, wherever that lies just now.
import type { WorkspaceSpec } from "./task.ts";

/** A folder begins with a slash; an address never does. */
export function projectOf({ git, dir }: WorkspaceSpec): string {
  if (!git) return dir;
  return git.url.startsWith("/") ? `file://${git.url}` : git.url;
}
