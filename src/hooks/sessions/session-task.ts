// Builds a task from a session's command: the folder's task file, with the session as the agent.
import fs from "node:fs";
import path from "node:path";
import { sessionAgent } from "#agents/session-agent";
import type { Registries } from "#catalog/built-ins";
import type { ReadTask } from "#config/read-task";
import type { TaskInput } from "#config/task-options";
import { SESSION_TEMPLATE } from "#prompt/compose";
import { prepareTask } from "#runs/prepare-task";
import type { SessionKey, SessionWish } from "#spec/session";
import type { Home } from "#state/home";

export const MAX_ITERATIONS = 100;
const PROMISE = "DONE";

const TASK_FILE = "converge.yaml";

/** Defaults of a loop, which the user's files override: the promise is its only signal. */
export const LOOP_DEFAULTS: TaskInput = {
  promise: PROMISE,
  baseline: false,
  limits: { iterations: MAX_ITERATIONS },
  strategy: { type: "ralph", signals: [] },
};

/** Fixed settings of a session loop: the session belongs to the user and has its own memory. */
function flagsFor(key: SessionKey, wish: SessionWish): TaskInput {
  return {
    prompt: wish.prompt,
    agent: sessionAgent(key, undefined, {}),
    memory: "none",
    context: "fresh",
    workspace: "in-place",
    onResume: "keep",
    requirePromise: true,
    // No retry: nobody restarts a session that does not answer.
    limits: {
      agentFailures: 1,
      ...(wish.maxIterations !== undefined && { iterations: wish.maxIterations }),
    },
    ...(wish.promise !== undefined && { promise: wish.promise }),
    ...(wish.gates && { gates: [...wish.gates] }),
  };
}

/** Reads the folder's task, with the session as its agent. Without gates, the promise ends the loop. */
export function readWish(
  key: SessionKey,
  wish: SessionWish,
  { home, registries }: { readonly home: Home; readonly registries: Registries },
): Promise<ReadTask> {
  const source = {
    ...(fs.existsSync(path.join(wish.dir, TASK_FILE)) && { file: TASK_FILE }),
    flags: flagsFor(key, wish),
    defaults: LOOP_DEFAULTS,
    userFile: home.userConfig,
    cwd: wish.dir,
    origin: "/ralph",
  };
  const inSession = (read: ReadTask): ReadTask => ({
    ...read,
    task: {
      ...read.task,
      agents: [{ type: "session", ...key }],
      template: { name: "session loop", text: SESSION_TEMPLATE },
    },
  });
  return prepareTask(source, { registries, revise: inSession });
}
