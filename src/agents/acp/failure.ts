// Determines why a turn failed: by a limit, by the agent's own error, or by the exit of its process.
import type { AgentRequest } from "#spec/agent";
import type { ProcessEnd } from "#system/processes/process";
import { oneLine } from "#text/plain-text";
import { forcedEnding, lastLine, startFailure } from "../shared/agent-ending.ts";
import { classify } from "../shared/classify-failure.ts";
import type { Failed } from "../shared/driver.ts";
import { at, textAt } from "../shared/read-json.ts";
import type { TurnOutcome } from "./converse.ts";
import type { Stop } from "./limits.ts";

export interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly end: ProcessEnd;
  readonly stopped: Stop | undefined;
  readonly refused: readonly string[];
  /** The end of its standard error. */
  readonly stderr: string;
  readonly rubbish: string | undefined;
  readonly isFlooded: boolean;
}

const CHARS = 500;
/** The ACP error code for an agent that is not logged in. */
const AUTH_REQUIRED = -32000;

/** Shows only HTTP status codes: the protocol's own numbers mean nothing to readers. */
function errorText(error: unknown): string {
  const code = at(error, "code");
  const data = at(error, "data");
  const status = typeof code === "number" && code >= 100 && code < 600 ? `${code} ` : "";
  const message = error instanceof Error ? error.message : textAt(error, "message");
  const details = typeof data === "string" ? data : textAt(data, "details") || textAt(data, "message");
  return oneLine(`${status}${message}${details && details !== message ? `: ${details}` : ""}`, CHARS);
}

function agentError({ error, logins, at: question }: Extract<TurnOutcome, { how: "error" }>): Failed {
  const words = errorText(error);
  const loginHint =
    logins.length > 0 ? `; log in outside of Converge: ${logins.join(", ")}` : "; log in to it first";
  if (at(error, "code") === AUTH_REQUIRED)
    return { failure: "blocked", blockedBy: "login", reason: `${words}${loginHint}` };
  const classified = classify(words, new Date());
  if (!classified) return { failure: "crashed", reason: `it answered ${question} with an error: ${words}` };
  return classified.blockedBy === "login"
    ? { ...classified, reason: `${classified.reason}${loginHint}` }
    : classified;
}

function stopReason(answer: unknown, refused: readonly string[]): Failed | undefined {
  const reason = textAt(answer, "stopReason");
  const [first] = refused;
  switch (reason) {
    case "end_turn":
      return undefined;
    case "max_tokens":
      return { failure: "context-too-long", reason: "it reached its limit of tokens" };
    case "max_turn_requests":
      return { failure: "crashed", reason: "it reached its own limit of model requests for one turn" };
    case "refusal":
      return { failure: "blocked", reason: "it refused to work on the prompt" };
    case "cancelled":
      return first === undefined
        ? { failure: "crashed", reason: "it cancelled the turn without being asked to" }
        : { failure: "blocked", blockedBy: "permission", reason: first };
    default:
      return {
        failure: "crashed",
        reason: `it ended the turn with an unknown stop reason: "${oneLine(reason, 100)}"`,
      };
  }
}

/** The agent exited, or printed something else, before it answered. */
function exitFailure({ outcome, end, stderr, rubbish, isFlooded }: TurnEnd): Failed {
  if (isFlooded)
    return { failure: "crashed", reason: "it asked for more than a thousand permissions and took no answer" };
  const classified = classify(stderr, new Date());
  if (classified) return classified;
  const words = lastLine(stderr) || (rubbish === undefined ? "" : `; it printed: ${rubbish}`);
  const how = end.cause === "exited" ? `exited with ${end.exitCode ?? "a signal"}` : "closed the connection";
  return { failure: "crashed", reason: `it ${how} before it answered ${outcome.at}${words}` };
}

function turnFailure(ended: TurnEnd): Failed | undefined {
  const { outcome, refused } = ended;
  switch (outcome.how) {
    case "answered":
      return stopReason(outcome.answer, refused);
    case "error":
      return agentError(outcome);
    case "failed":
      return outcome.failed;
    case "silent":
      return exitFailure(ended);
  }
}

/** The request it had not answered yet, unless that was the prompt itself. */
function pendingRequest({ outcome, rubbish }: TurnEnd): string {
  if (outcome.at === "session/prompt") return "";
  const printed = rubbish === undefined ? "" : ` and printed: ${rubbish}`;
  return `; it had not answered ${outcome.at}${printed}`;
}

export function failureOf(ended: TurnEnd, request: AgentRequest, shown: string): Failed | undefined {
  const { end, outcome, stopped } = ended;
  // We killed the process: irrelevant after the turn, otherwise the reason is why we stopped it.
  const cause = stopped ?? (end.cause === "cancelled" ? "exited" : end.cause);
  const forced = forcedEnding({ ...end, cause }, request, shown);
  if (forced) return { ...forced, reason: `${forced.reason}${pendingRequest(ended)}` };
  const remedy = "install it, or correct the agent's command";
  const notStarted = outcome.how === "silent" ? startFailure(end.exitCode, shown, remedy) : undefined;
  if (notStarted) return notStarted;
  const failed = turnFailure(ended);
  return failed && { ...failed, reason: `${shown}: ${failed.reason}` };
}
