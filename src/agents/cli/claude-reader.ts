// What Claude Code prints with --output-format stream-json.
import type { Usage } from "#spec/agent";
import { oneLine } from "#text/plain-text";
import { classify } from "../shared/classify-failure.ts";
import type { Ask, Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import { at, countAt, type Json, jsonLines, known, listAt, sum, textAt } from "../shared/read-json.ts";
import { ALLOW_ALL } from "../shared/refusal.ts";
import { asWait } from "../shared/reset-time.ts";
import { toolInput } from "./tool-input.ts";

const MOST_RESULTS = 1_000;

interface Seen {
  model: string;
  session: string;
  said: string;
  result: Json | undefined;
  /** When the service said that its limit ends, and how long it asked to wait. */
  resetsAt: number | undefined;
  waitMs: number | undefined;
  /** What the tools answered when they failed, by call. */
  readonly errors: Map<string, string>;
}

function assistant(seen: Seen, line: Json): Shown[] {
  const model = textAt(line, "message", "model");
  const synthetic = model === "<synthetic>";
  if (model !== "" && !synthetic) seen.model = model;
  return listAt(line, "message", "content").flatMap((block): Shown[] => {
    if (textAt(block, "type") === "tool_use")
      return [{ tool: textAt(block, "name"), text: toolInput(at(block, "input")) }];
    const text = textAt(block, "type") === "text" ? textAt(block, "text") : "";
    if (text.trim() === "") return [];
    if (textAt(line, "parent_tool_use_id") === "") seen.said = text;
    return [{ text }];
  });
}

function user(seen: Seen, line: Json): void {
  for (const block of listAt(line, "message", "content"))
    if (at(block, "is_error") === true && seen.errors.size < MOST_RESULTS)
      seen.errors.set(textAt(block, "tool_use_id"), oneLine(textAt(block, "content"), 500));
}

function system(seen: Seen, line: Json): Shown[] {
  if (textAt(line, "subtype") === "init") {
    seen.model = textAt(line, "model");
    return [];
  }
  if (textAt(line, "subtype") !== "api_retry") return [];
  const delay = countAt(line, "retry_delay_ms") ?? 0;
  // Its own delays are random; one in whole seconds is what the service asked for.
  seen.waitMs = delay > 0 && delay % 1_000 === 0 ? delay : undefined;
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

/** The service's own word on when to come back beats what can be read from the sentence. */
function waiting(seen: Seen, failed: Failed, now: Date): Failed {
  const reset = seen.resetsAt === undefined ? undefined : asWait(seen.resetsAt * 1_000 - now.getTime());
  if (reset !== undefined && (failed.blockedBy === "quota" || failed.failure === "rate-limited"))
    return { failure: "rate-limited", reason: failed.reason, retryAfterMs: reset };
  if (failed.failure !== "rate-limited" || seen.waitMs === undefined) return failed;
  return { retryAfterMs: seen.waitMs, ...failed };
}

function failureOf(seen: Seen, { stderr, exitCode, now }: Ended): Failed | undefined {
  const { result } = seen;
  if (exitCode !== 0 && ROOT.test(stderr))
    return { failure: "blocked", blockedBy: "permission", reason: ROOT_HELP };
  if (at(result, "is_error") !== true) return undefined;
  const errors = listAt(result, "errors").filter((error) => typeof error === "string");
  const words = textAt(result, "result") || errors.join("; ") || textAt(result, "subtype");
  return waiting(seen, classify(words, now) ?? { failure: "crashed", reason: words || "it failed" }, now);
}

/** The command that would have to be allowed; undefined when allowing commands would not help. */
function wantedIn(command: string, error: string): string | undefined {
  const part = /parts? requires? approval: (.*)/.exec(error)?.[1];
  const whole = /requires approval$/.test(error.trim()) ? command : "";
  return /^[\w./@:+-]+(?=\s|,|$)/.exec((part ?? whole).trim())?.[0].replace(/,$/, "");
}

function refusal(seen: Seen, denial: unknown): string {
  const tool = textAt(denial, "tool_name");
  const what = oneLine(toolInput(at(denial, "tool_input")), 200);
  const error = seen.errors.get(textAt(denial, "tool_use_id")) ?? "";
  const wanted = tool === "Bash" ? wantedIn(what, error) : undefined;
  const help = `${wanted === undefined ? "" : `"allow: [${wanted}]" or `}${ALLOW_ALL}`;
  return `Claude Code was not allowed to use ${tool}${what && `: ${what}`}; allow it with ${help}`;
}

function report(seen: Seen, ended: Ended, ask: Ask | undefined): Report {
  const { result } = seen;
  const denials = ask?.access === "read" ? [] : listAt(result, "permission_denials");
  const failed = failureOf(seen, ended);
  // A session that is not there must not be asked for again.
  const lost = /no conversation found/i.test(failed?.reason ?? "");
  const session = textAt(result, "session_id") || seen.session;
  return {
    message: textAt(result, "result") || seen.said,
    usage: usageOf(result),
    ...(seen.model !== "" && { model: seen.model }),
    ...(session !== "" && !lost && { sessionId: session }),
    ...(failed && { failed }),
    ...(denials.length > 0 && { refused: [...new Set(denials.map((denial) => refusal(seen, denial)))] }),
  };
}

export function claudeReader(ask?: Ask): Reader {
  const seen: Seen = {
    model: "",
    session: "",
    said: "",
    result: undefined,
    resetsAt: undefined,
    waitMs: undefined,
    errors: new Map(),
  };
  const read = (line: Json): readonly Shown[] => {
    seen.session = textAt(line, "session_id") || seen.session;
    switch (line.type) {
      case "system":
        return system(seen, line);
      case "assistant":
        return assistant(seen, line);
      case "user":
        user(seen, line);
        return [];
      case "rate_limit_event":
        if (textAt(line, "rate_limit_info", "status") === "rejected")
          seen.resetsAt = countAt(line, "rate_limit_info", "resetsAt");
        return [];
      case "result":
        seen.result = line;
        return [];
      default:
        return [];
    }
  };
  return {
    line: jsonLines(read),
    end: (ended) => report(seen, ended, ask),
  };
}
