// Sessions through `converge hook session`, for programs that cannot load this package, such as an editor with its own runtime.
import { ConfigError, UsageError } from "#spec/errors";
import type { SessionKey, SessionLoop, Sessions, TurnAnswer } from "#spec/session";
import { callProgram } from "#system/call-program";
import { oneLine } from "#text/plain-text";
import type { Call, CallAnswer } from "./session-call.ts";

export interface CommandSessionsOptions {
  /** Program and arguments of the command line, such as `["converge"]`. */
  readonly command: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Receives warnings for the user that are not part of a run. */
  readonly onWarning?: (text: string) => void;
  /** Timeout of calls that run no gates. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;
const OUTPUT_CHARS = 500;
/** Calls without a timeout: they may run gates, or wait for those of another session. */
const WITHOUT_TIMEOUT: readonly Call["call"][] = ["start", "turn"];

function isAnswer(answer: unknown): answer is CallAnswer {
  const { warnings, error } = (answer ?? {}) as Partial<CallAnswer>;
  const isErrorValid =
    error === undefined || (typeof error?.name === "string" && typeof error.message === "string");
  return Array.isArray(warnings) && warnings.every((warning) => typeof warning === "string") && isErrorValid;
}

function parseAnswer(stdout: string): CallAnswer | undefined {
  try {
    const answer: unknown = JSON.parse(stdout);
    return isAnswer(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** Recreates errors that a caller can handle with their original type. */
function toError({ name, message }: NonNullable<CallAnswer["error"]>): Error {
  if (name === "ConfigError") return new ConfigError(message.split("\n"));
  return name === "UsageError" ? new UsageError(message) : new Error(message);
}

export function commandSessions(options: CommandSessionsOptions): Sessions {
  const { command, env, onWarning = () => {}, timeoutMs = TIMEOUT_MS } = options;
  const fullCommand = [...command, "hook", "session"];

  const ask = async (call: Call): Promise<unknown> => {
    const limit = !WITHOUT_TIMEOUT.includes(call.call) && { timeoutMs };
    const exit = await callProgram({
      command: fullCommand,
      input: JSON.stringify(call),
      ...(env && { env }),
      ...limit,
    });
    const answer = exit.failed === undefined ? parseAnswer(exit.stdout) : undefined;
    if (!answer) {
      const output = oneLine(exit.stderr.trim() || exit.stdout.trim() || "nothing", OUTPUT_CHARS);
      const why = exit.failed ?? `exit code ${exit.exitCode}`;
      throw new Error(`\`${fullCommand.join(" ")}\` gave no answer (${why}); its output: ${output}`);
    }
    answer.warnings.forEach(onWarning);
    if (answer.error) throw toError(answer.error);
    return answer.value;
  };

  return {
    start: async (key, wish) => (await ask({ call: "start", key, wish })) as SessionLoop,
    find: async (key) => (await ask({ call: "find", key })) as SessionLoop | undefined,
    turn: async (key, turn) => (await ask({ call: "turn", key, turn })) as TurnAnswer,
    cancel: async (key, reason) => (await ask({ call: "cancel", key, reason })) as SessionLoop | undefined,
    list: async (host, dir) =>
      (await ask({ call: "list", host, ...(dir !== undefined && { dir }) })) as readonly SessionKey[],
  };
}
