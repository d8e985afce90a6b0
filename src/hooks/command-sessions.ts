// Session loops kept by the command line: for programs that cannot load us, such as an editor with a runtime of its own.
import { ConfigError, UsageError } from "#spec/errors";
import type { SessionKey, SessionLoop, Sessions, TurnAnswer } from "#spec/session";
import { callProgram } from "#system/call-program";
import { oneLine } from "#text/plain-text";
import type { Call, CallAnswer } from "./call.ts";

export interface CommandSessionsOptions {
  /** Program and arguments of the command line, such as `["converge"]`. */
  readonly command: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Told of what people should know that is not part of a run. */
  readonly onWarning?: (text: string) => void;
  /** How long questions may take that run no gates. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;
const SAID_CHARS = 500;
/** They may run gates, or wait for those of another session. */
const PATIENT: readonly Call["call"][] = ["start", "turn"];

function isAnswer(said: unknown): said is CallAnswer {
  const { warnings, error } = (said ?? {}) as Partial<CallAnswer>;
  const named = error === undefined || (typeof error?.name === "string" && typeof error.message === "string");
  return Array.isArray(warnings) && warnings.every((warning) => typeof warning === "string") && named;
}

function answerIn(stdout: string): CallAnswer | undefined {
  try {
    const said: unknown = JSON.parse(stdout);
    return isAnswer(said) ? said : undefined;
  } catch {
    return undefined;
  }
}

/** As it was thrown at the other end, where that is something a caller can act on. */
function thrown({ name, message }: NonNullable<CallAnswer["error"]>): Error {
  if (name === "ConfigError") return new ConfigError(message.split("\n"));
  return name === "UsageError" ? new UsageError(message) : new Error(message);
}

export function commandSessions(options: CommandSessionsOptions): Sessions {
  const { command, env, onWarning = () => {}, timeoutMs = TIMEOUT_MS } = options;
  const whole = [...command, "hook", "session"];

  const ask = async (call: Call): Promise<unknown> => {
    const limit = !PATIENT.includes(call.call) && { timeoutMs };
    const ended = await callProgram({
      command: whole,
      input: JSON.stringify(call),
      ...(env && { env }),
      ...limit,
    });
    const answer = ended.failed === undefined ? answerIn(ended.stdout) : undefined;
    if (!answer) {
      const said = oneLine(ended.stderr.trim() || ended.stdout.trim() || "nothing", SAID_CHARS);
      const why = ended.failed ?? `exit code ${ended.exitCode}`;
      throw new Error(`\`${whole.join(" ")}\` gave no answer (${why}); it said: ${said}`);
    }
    answer.warnings.forEach(onWarning);
    if (answer.error) throw thrown(answer.error);
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
