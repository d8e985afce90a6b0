// What went wrong in a turn: what ended it, else what the agent said of it, else how its process ended.
import type { AgentRequest } from "#spec/agent";
import type { ProcessEnd } from "#system/processes/process";
import { oneLine } from "#text/plain-text";
import { cutOff, lastWords, notRun } from "../shared/agent-ending.ts";
import { classify } from "../shared/classify-failure.ts";
import type { Failed } from "../shared/driver.ts";
import { at, textAt } from "../shared/read-json.ts";
import type { Said } from "./converse.ts";
import type { Stop } from "./limits.ts";

export interface Ended {
  readonly said: Said;
  readonly end: ProcessEnd;
  readonly stopped: Stop | undefined;
  readonly refused: readonly string[];
  /** The end of what it wrote on standard error. */
  readonly stderr: string;
  readonly rubbish: string | undefined;
  readonly isFlooded: boolean;
}

const CHARS = 500;
/** The protocol's own code for an agent that nobody has logged in to. */
const AUTH_REQUIRED = -32000;

/** Only what looks like a status of HTTP: the numbers of the protocol mean nothing to those who read them. */
function wordsOf(error: unknown): string {
  const code = at(error, "code");
  const data = at(error, "data");
  const status = typeof code === "number" && code >= 100 && code < 600 ? `${code} ` : "";
  const message = error instanceof Error ? error.message : textAt(error, "message");
  const details = typeof data === "string" ? data : textAt(data, "details") || textAt(data, "message");
  return oneLine(`${status}${message}${details && details !== message ? `: ${details}` : ""}`, CHARS);
}

function ownError({ error, logins, at: question }: Extract<Said, { how: "error" }>): Failed {
  const words = wordsOf(error);
  const ways =
    logins.length > 0 ? `; log in outside of Converge: ${logins.join(", ")}` : "; log in to it first";
  if (at(error, "code") === AUTH_REQUIRED)
    return { failure: "blocked", blockedBy: "login", reason: `${words}${ways}` };
  const known = classify(words, new Date());
  if (!known) return { failure: "crashed", reason: `it answered ${question} with an error: ${words}` };
  return known.blockedBy === "login" ? { ...known, reason: `${known.reason}${ways}` } : known;
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
        ? { failure: "crashed", reason: "it cancelled the turn, though nobody asked it to" }
        : { failure: "blocked", blockedBy: "permission", reason: first };
    default:
      return {
        failure: "crashed",
        reason: `it ended the turn for a reason that is none: "${oneLine(reason, 100)}"`,
      };
  }
}

/** It is gone, or talks of other things, before it has answered. */
function silent({ said, end, stderr, rubbish, isFlooded }: Ended): Failed {
  if (isFlooded)
    return { failure: "crashed", reason: "it asked for more than a thousand permissions and took no answer" };
  const known = classify(stderr, new Date());
  if (known) return known;
  const words = lastWords(stderr) || (rubbish === undefined ? "" : `; it printed: ${rubbish}`);
  const how = end.cause === "exited" ? `exited with ${end.exitCode ?? "a signal"}` : "closed the connection";
  return { failure: "crashed", reason: `it ${how} before it answered ${said.at}${words}` };
}

function turnFailure(ended: Ended): Failed | undefined {
  const { said, refused } = ended;
  switch (said.how) {
    case "answered":
      return stopReason(said.answer, refused);
    case "error":
      return ownError(said);
    case "failed":
      return said.failed;
    case "silent":
      return silent(ended);
  }
}

/** What it was waiting for, when that was not the agent's work. */
function unready({ said, rubbish }: Ended): string {
  if (said.at === "session/prompt") return "";
  const printed = rubbish === undefined ? "" : ` and printed: ${rubbish}`;
  return `; it had not answered ${said.at}${printed}`;
}

export function failureOf(ended: Ended, request: AgentRequest, shown: string): Failed | undefined {
  const { end, said, stopped } = ended;
  // We ended it: that is no news when its turn was over, and told by what made us when it was not.
  const cause = stopped ?? (end.cause === "cancelled" ? "exited" : end.cause);
  const cut = cutOff({ ...end, cause }, request, shown);
  if (cut) return { ...cut, reason: `${cut.reason}${unready(ended)}` };
  const remedy = "install it, or correct the agent's command";
  const missing = said.how === "silent" ? notRun(end.exitCode, shown, remedy) : undefined;
  if (missing) return missing;
  const failed = turnFailure(ended);
  return failed && { ...failed, reason: `${shown}: ${failed.reason}` };
}
