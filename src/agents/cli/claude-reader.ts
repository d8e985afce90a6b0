// Parses the output of Claude Code with --output-format stream-json.
import type { Usage } from "#spec/agent";
import { oneLine } from "#text/plain-text";
import { classify } from "../shared/classify-failure.ts";
import type { Ask, Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import { at, countAt, type Json, jsonLines, known, listAt, sum, textAt } from "../shared/read-json.ts";
import { ALLOW_ALL } from "../shared/refusal.ts";
import { validWait } from "../shared/reset-time.ts";
import { toolInput } from "./tool-input.ts";

const MAX_ERRORS = 1_000;

interface State {
  model: string;
  session: string;
  lastText: string;
  result: Json | undefined;
  /** When the rate limit resets, and how long the service asked to wait. */
  resetsAt: number | undefined;
  waitMs: number | undefined;
  /** Error results of tools, by call id. */
  readonly errors: Map<string, string>;
}

function assistant(state: State, line: Json): Shown[] {
  const model = textAt(line, "message", "model");
  const synthetic = model === "<synthetic>";
  if (model !== "" && !synthetic) state.model = model;
  return listAt(line, "message", "content").flatMap((block): Shown[] => {
    if (textAt(block, "type") === "tool_use")
      return [{ tool: textAt(block, "name"), text: toolInput(at(block, "input")) }];
    const text = textAt(block, "type") === "text" ? textAt(block, "text") : "";
    if (text.trim() === "") return [];
    if (textAt(line, "parent_tool_use_id") === "") state.lastText = text;
    return [{ text }];
  });
}

function user(state: State, line: Json): void {
  for (const block of listAt(line, "message", "content"))
    if (at(block, "is_error") === true && state.errors.size < MAX_ERRORS)
      state.errors.set(textAt(block, "tool_use_id"), oneLine(textAt(block, "content"), 500));
}

function system(state: State, line: Json): Shown[] {
  if (textAt(line, "subtype") === "init") {
    state.model = textAt(line, "model");
    return [];
  }
  if (textAt(line, "subtype") !== "api_retry") return [];
  const delay = countAt(line, "retry_delay_ms") ?? 0;
  // Its own backoff has jitter; whole seconds are a Retry-After of the service.
  state.waitMs = delay > 0 && delay % 1_000 === 0 ? delay : undefined;
  const status = countAt(line, "error_status") ?? "";
  return [{ text: `[waits ${(delay / 1_000).toFixed(1)} s: ${textAt(line, "error")} ${status}]` }];
}

function usageOf(result: unknown): Usage {
  const cached = countAt(result, "usage", "cache_read_input_tokens");
  const input = countAt(result, "usage", "input_tokens");
  const cost = countAt(result, "total_cost_usd");
  const inputTokens = sum(input, countAt(result, "usage", "cache_creation_input_tokens"), cached);
  return known({
    inputTokens,
    cachedTokens: cached,
    outputTokens: countAt(result, "usage", "output_tokens"),
    costUsd: cost === 0 ? undefined : cost,
  });
}

const ROOT = /cannot be used with root/i;
const ROOT_HELP =
  'it refuses "permissions: all" as root; use "isolation: strict" (or "contained"), or run Converge as another user';

/** A reset time reported by the service beats one parsed from text. */
function withWait(state: State, failed: Failed, now: Date): Failed {
  const reset = state.resetsAt === undefined ? undefined : validWait(state.resetsAt * 1_000 - now.getTime());
  if (reset !== undefined && (failed.blockedBy === "quota" || failed.failure === "rate-limited"))
    return { failure: "rate-limited", reason: failed.reason, retryAfterMs: reset };
  if (failed.failure !== "rate-limited" || state.waitMs === undefined) return failed;
  return { retryAfterMs: state.waitMs, ...failed };
}

function failureOf(state: State, { stderr, exitCode, now }: Ended): Failed | undefined {
  const { result } = state;
  if (exitCode !== 0 && ROOT.test(stderr))
    return { failure: "blocked", blockedBy: "permission", reason: ROOT_HELP };
  if (at(result, "is_error") !== true) return undefined;
  const errors = listAt(result, "errors").filter((error) => typeof error === "string");
  const words = textAt(result, "result") || errors.join("; ") || textAt(result, "subtype");
  return withWait(state, classify(words, now) ?? { failure: "crashed", reason: words || "it failed" }, now);
}

/** The command to allow; undefined when allowing a command does not help. */
function commandToAllow(command: string, error: string): string | undefined {
  const part = /parts? requires? approval: (.*)/.exec(error)?.[1];
  const whole = /requires approval$/.test(error.trim()) ? command : "";
  return /^[\w./@:+-]+(?=\s|,|$)/.exec((part ?? whole).trim())?.[0].replace(/,$/, "");
}

function refusal(state: State, denial: unknown): string {
  const tool = textAt(denial, "tool_name");
  const what = oneLine(toolInput(at(denial, "tool_input")), 200);
  const error = state.errors.get(textAt(denial, "tool_use_id")) ?? "";
  const wanted = tool === "Bash" ? commandToAllow(what, error) : undefined;
  const help = `${wanted === undefined ? "" : `"allow: [${wanted}]" or `}${ALLOW_ALL}`;
  return `Claude Code was not allowed to use ${tool}${what && `: ${what}`}; allow it with ${help}`;
}

function report(state: State, ended: Ended, ask: Ask | undefined): Report {
  const { result } = state;
  const denials = ask?.access === "read" ? [] : listAt(result, "permission_denials");
  const failed = failureOf(state, ended);
  // Do not resume a session that does not exist.
  const isLost = /no conversation found/i.test(failed?.reason ?? "");
  const session = textAt(result, "session_id") || state.session;
  return {
    message: textAt(result, "result") || state.lastText,
    usage: usageOf(result),
    ...(state.model !== "" && { model: state.model }),
    ...(session !== "" && !isLost && { sessionId: session }),
    ...(failed && { failed }),
    ...(denials.length > 0 && { refused: [...new Set(denials.map((denial) => refusal(state, denial)))] }),
  };
}

export function claudeReader(ask?: Ask): Reader {
  const state: State = {
    model: "",
    session: "",
    lastText: "",
    result: undefined,
    resetsAt: undefined,
    waitMs: undefined,
    errors: new Map(),
  };
  const read = (line: Json): readonly Shown[] => {
    state.session = textAt(line, "session_id") || state.session;
    switch (line.type) {
      case "system":
        return system(state, line);
      case "assistant":
        return assistant(state, line);
      case "user":
        user(state, line);
        return [];
      case "rate_limit_event":
        if (textAt(line, "rate_limit_info", "status") === "rejected")
          state.resetsAt = countAt(line, "rate_limit_info", "resetsAt");
        return [];
      case "result":
        state.result = line;
        return [];
      default:
        return [];
    }
  };
  return {
    line: jsonLines(read),
    end: (ended) => report(state, ended, ask),
  };
}
