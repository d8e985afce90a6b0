// From what somebody typed in a session to a task: the folder's own task file, with the session in the agent's place.
import fs from "node:fs";
import path from "node:path";
import { sessionAgent } from "#agents/session-agent";
import type { Registries } from "#catalog/built-ins";
import type { ReadTask } from "#config/read-task";
import type { TaskInput } from "#config/schema";
import { SESSION_TEMPLATE } from "#prompt/session";
import { prepareTask } from "#runs/prepare-task";
import type { SessionKey, SessionWish } from "#spec/session";
import type { Home } from "#state/home";

export const MAX_ITERATIONS = 100;
const PROMISE = "DONE";

const TASK_FILE = "converge.yaml";

/** What a loop is unless the user's files say otherwise: it hears the promise only. */
export const LOOP_DEFAULTS: TaskInput = {
  promise: PROMISE,
  baseline: false,
  limits: { iterations: MAX_ITERATIONS },
  strategy: { type: "ralph", signals: [] },
};

/** What cannot be otherwise in a session: it is the user's own, and it remembers by itself. */
function flagsFor(key: SessionKey, wish: SessionWish): TaskInput {
  return {
    prompt: wish.prompt,
    agent: sessionAgent(key, undefined, {}),
    memory: "none",
    context: "fresh",
    workspace: "in-place",
    onResume: "keep",
    requirePromise: true,
    // Nobody restarts a session that says nothing.
    limits: {
      agentFailures: 1,
      ...(wish.maxIterations !== undefined && { iterations: wish.maxIterations }),
    },
    ...(wish.promise !== undefined && { promise: wish.promise }),
    ...(wish.gates && { gates: [...wish.gates] }),
  };
}

/** The task of the folder, with the session as its agent. Without gates the promise ends the loop. */
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
