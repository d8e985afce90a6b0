// The session loop for programs that load us: its runs are kept in the usual state folder, or in one of their own.
import { openApp } from "#state/context";
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
  /** The folder that the sessions work in; the current one unless told. */
  readonly workdir?: string;
}

export function createSessionLoop(options: CreateSessionLoopOptions = {}): SessionLoopHook {
  const { config: { stateDir, ...config } = {}, workdir = process.cwd(), ...ports } = options;
  const app = openApp(stateDir === undefined ? process.env : { ...process.env, CONVERGE_HOME: stateDir });
  const warn = (text: string) => options.showToast?.(problemToast(text));
  return sessionLoop({ ...ports, workdir, config, sessions: sessions(app, { warn }) });
}
