// Parses the output of `opencode run --format json`: text and tool steps, tokens per step, and service errors.

import { dropUndefined } from "#options/option";
import { sumUsage } from "#rules/usage";
import type { Usage } from "#spec/agent";
import { plain } from "#text/plain-text";
import { classify } from "../shared/classify-failure.ts";
import type { Ended, Failed, Reader, Shown } from "../shared/driver.ts";
import { at, countAt, type Json, jsonLines, sum, textAt } from "../shared/read-json.ts";
import { refusedCommand, refusedTool } from "../shared/refusal.ts";
import { toolInput } from "./tool-input.ts";

const REFUSED = /^The user (?:rejected permission|has specified a rule which prevents)/;
/** Printed on stderr for a subagent, whose tool calls are not in the output. */
const SUBAGENT_REFUSAL = /permission requested: (\w+) \((.*)\); auto-rejecting/g;
const LOCKED = /database is locked|SQLITE_BUSY|Error: (?:Unexpected error\s+)?Failed query/i;
const MAX_REFUSALS = 20;
const LOCK_RETRY_MS = 5_000;

function refusal(tool: string, on: string): string {
  if (tool === "bash") return refusedCommand("opencode", on);
  return refusedTool("opencode", { tool, on }, `permission.${tool} in its own settings`);
}

/** What the tool is used on: command, file or URL. */
function subject(part: unknown): string {
  return textAt(part, "state", "title") || toolInput(at(part, "state", "input"));
}

function refusalIn(part: unknown): string | undefined {
  if (!REFUSED.test(textAt(part, "state", "error"))) return undefined;
  return refusal(textAt(part, "tool"), subject(part));
}

function usageOf(step: unknown): Usage {
  const tokens = at(step, "tokens");
  const cached = countAt(tokens, "cache", "read");
  return dropUndefined({
    inputTokens: sum(countAt(tokens, "input"), cached, countAt(tokens, "cache", "write")),
    outputTokens: sum(countAt(tokens, "output"), countAt(tokens, "reasoning")),
    cachedTokens: cached,
    // Zero means an unknown price.
    costUsd: countAt(step, "cost") || undefined,
  });
}

function failureOf(error: Json, now: Date): Failed {
  const message = textAt(error, "data", "message") || textAt(error, "name") || "an error without words";
  if (textAt(error, "name") === "ContextOverflowError")
    return { failure: "context-too-long", reason: message };
  if (textAt(error, "name") === "ProviderAuthError")
    return { failure: "blocked", blockedBy: "login", reason: message };
  const wait = textAt(error, "data", "responseHeaders", "retry-after");
  const details = [countAt(error, "data", "statusCode") ?? "", textAt(error, "data", "responseBody")];
  const kind = classify(`${wait && `retry-after: ${wait}\n`}${message}\n${details.join(" ")}`, now);
  if (kind) return { ...kind, reason: message };
  // The only message for an unknown model.
  const hint = /^Unexpected server error/.test(message) ? " `opencode models` lists the known models." : "";
  return { failure: "crashed", reason: `${message}${hint}` };
}

/** Instances that start at the same time share a database: the second one may find it locked or incomplete. */
function lockFailure({ stderr, exitCode }: Ended): Failed | undefined {
  if (exitCode === 0 || !LOCKED.test(plain(stderr))) return undefined;
  const reason =
    "another opencode process has locked its database; give this agent its own with env: { XDG_DATA_HOME: <a folder> }";
  return { failure: "rate-limited", reason, retryAfterMs: LOCK_RETRY_MS };
}

export function openCodeReader(): Reader {
  let usage: Usage = {};
  let sessionId = "";
  let step: string[] = [];
  let message = "";
  let error: Json | undefined;
  const refused = new Set<string>();

  function read(event: Json): Shown[] {
    const part = event.part;
    sessionId = textAt(event, "sessionID") || sessionId;
    switch (event.type) {
      case "step_start":
        step = [];
        return [];
      case "text": {
        const text = textAt(part, "text");
        step.push(text);
        message = step.join("\n");
        return [{ text }];
      }
      case "tool_use": {
        const refusal = refusalIn(part);
        if (refusal !== undefined && refused.size < MAX_REFUSALS) refused.add(refusal);
        return [{ tool: textAt(part, "tool"), text: subject(part) }];
      }
      case "step_finish":
        usage = sumUsage([usage, usageOf(part)]);
        return [];
      case "error":
        error = event.error as Json;
        return [{ text: textAt(error, "data", "message") }];
      default:
        return [];
    }
  }

  return {
    line: jsonLines(read),
    end: (ended) => {
      const subagentRefusals = [...plain(ended.stderr).matchAll(SUBAGENT_REFUSAL)].map(
        ([, tool = "", on = ""]) => refusal(tool, on),
      );
      const failed = lockFailure(ended) ?? (error && failureOf(error, ended.now));
      return dropUndefined({
        message,
        usage,
        sessionId: sessionId || undefined,
        failed,
        refused: [...new Set([...refused, ...subagentRefusals])],
      }) as ReturnType<Reader["end"]>;
    },
  };
}
