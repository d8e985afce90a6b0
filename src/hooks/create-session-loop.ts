// Creates a session loop for programs that load this package, with its runs in the state folder. Apart from session-loop.ts,
// which the opencode plugin bundles without a store.
import { openContext } from "#state/context";
import {
  type SessionLoopConfig,
  type SessionLoopHook,
  type SessionLoopOptions,
  sessionLoop,
} from "./session-loop.ts";
import { sessions } from "./sessions/session-runs.ts";
import { problemToast } from "./toast.ts";

export interface CreateSessionLoopOptions
  extends Omit<SessionLoopOptions, "sessions" | "workdir" | "config"> {
  readonly config?: Partial<SessionLoopConfig> & {
    /** Folder for the state, instead of $CONVERGE_HOME. */
    readonly stateDir?: string;
  };
  /** Working folder of the sessions. Defaults to the current one. */
  readonly workdir?: string;
}

export function createSessionLoop(options: CreateSessionLoopOptions = {}): SessionLoopHook {
  const { config: { stateDir, ...config } = {}, workdir = process.cwd(), ...ports } = options;
  const app = openContext(stateDir === undefined ? process.env : { ...process.env, CONVERGE_HOME: stateDir });
  const warn = (text: string) => options.showToast?.(problemToast(text));
  return sessionLoop({ ...ports, workdir, config, sessions: sessions(app, { warn }) });
}
