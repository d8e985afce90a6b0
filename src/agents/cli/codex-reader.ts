// Parses the output of Codex with `exec --json`.

import { dropUndefined } from "#options/option";
import type { Usage } from "#spec/agent";
import { oneLine } from "#text/plain-text";
import { classify } from "../shared/classify-failure.ts";
import type { Ask, Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import { at, countAt, type Json, jsonLines, listAt, parseObject, textAt } from "../shared/read-json.ts";
import { ALLOW_ALL } from "../shared/refusal.ts";

const MAX_REFUSALS = 100;

interface State {
  session: string;
  lastText: string;
  usage: Usage;
  error: string;
  ended: boolean;
  /** The error when its sandbox could not be set up, and whether a command ran anyway. */
  sandbox: string;
  ran: boolean;
  readonly refused: Set<string>;
}

/** Unwraps `/bin/bash -lc 'npm test'`. */
function unwrapShell(command: string): string {
  const inner = /^\S*sh -l?c '([\s\S]*)'$/.exec(command)?.[1];
  return oneLine(
    inner?.replaceAll(`'\\''`, "'") ?? /^\S*sh -l?c ([\s\S]*)$/.exec(command)?.[1] ?? command,
    300,
  );
}

const NO_SANDBOX =
  /^(?:bwrap|codex-linux-sandbox|sandbox-exec): |error running landlock|landlock.*(?:unsupported|not)/i;
const NO_WRITES = /[Rr]ead-only file system|Operation not permitted/;
const NO_NETWORK =
  /Could not resolve host|EAI_AGAIN|ENOTFOUND|name resolution|Network is unreachable|ENETUNREACH/;

function refuse(state: State, what: string, why: string): void {
  const help = `its sandbox ${why}; allow it with ${ALLOW_ALL}`;
  if (state.refused.size < MAX_REFUSALS) state.refused.add(`Codex was not allowed to ${what}: ${help}`);
}

/** Sandbox refusals show up as failed commands. */
function onCommandEnd(state: State, item: unknown): void {
  const output = textAt(item, "aggregated_output");
  const status = textAt(item, "status");
  const run = `run ${unwrapShell(textAt(item, "command"))}`;
  if (status === "declined") refuse(state, run, "asks first");
  else if (status === "failed" && NO_SANDBOX.test(output)) state.sandbox = oneLine(output, 200);
  else {
    state.ran = true;
    if (status === "failed" && NO_WRITES.test(output))
      refuse(state, run, "lets it write in the workspace alone");
    else if (status === "failed" && NO_NETWORK.test(output)) refuse(state, run, "has no network");
  }
}

function changes(item: unknown): string {
  return listAt(item, "changes")
    .map((change) => textAt(change, "path"))
    .join(" ");
}

function onItem(state: State, item: unknown, completed: boolean): Shown[] {
  switch (textAt(item, "type")) {
    case "agent_message":
      if (!completed) return [];
      state.lastText = textAt(item, "text");
      return [{ text: state.lastText }];
    case "command_execution":
      if (completed) onCommandEnd(state, item);
      return completed ? [] : [{ tool: "shell", text: unwrapShell(textAt(item, "command")) }];
    case "file_change":
      return completed ? [{ tool: "edit", text: changes(item) }] : [];
    case "mcp_tool_call":
      return completed ? [] : [{ tool: textAt(item, "tool"), text: textAt(item, "server") }];
    case "web_search":
      return completed ? [{ tool: "search", text: textAt(item, "query") }] : [];
    case "reasoning":
      return completed ? [{ text: textAt(item, "text") }] : [];
    case "error":
      return [{ text: `[${oneLine(textAt(item, "message"), 300)}]` }];
    default:
      return [];
  }
}

/** Usage of one turn or, in a resumed session, of all turns so far. */
function usageOf(usage: unknown): Usage {
  return dropUndefined({
    inputTokens: countAt(usage, "input_tokens"),
    cachedTokens: countAt(usage, "cached_input_tokens"),
    outputTokens: countAt(usage, "output_tokens"),
  });
}

const REJECTED = /codex_core::\S*: error=(.*rejected.*)/gi;

/** Rejected commands appear only in its log. */
function addRejections(state: State, stderr: string): void {
  for (const [, words = ""] of stderr.matchAll(REJECTED)) {
    const command = /`([^`]+)` rejected/.exec(words)?.[1];
    const why = /rejected: ([^"\\;]+)/.exec(words)?.[1] ?? "forbids it";
    refuse(state, command ? `run ${unwrapShell(command)}` : "change a file", `says: ${oneLine(why, 150)}`);
  }
}

const NESTED = 'its own sandbox cannot be set up here; use "isolation: strict", which takes its place';

/** Some errors contain the service's whole JSON response. */
function errorMessage(error: string): string {
  return textAt(parseObject(error), "error", "message") || error;
}

function failureOf(state: State, { exitCode, now }: Ended): Failed | undefined {
  if (state.sandbox !== "" && !state.ran)
    return { failure: "blocked", blockedBy: "permission", reason: `${NESTED} (${state.sandbox})` };
  if (state.error === "" || (exitCode === 0 && state.ended)) return undefined;
  const reason = errorMessage(state.error);
  const failed = classify(state.error, now) ?? { failure: "crashed" };
  return { ...failed, reason };
}

function report(state: State, ended: Ended, ask: Ask | undefined): Report {
  const sandboxed = ask === undefined || (ask.permissions === "auto" && ask.tier !== "strict");
  if (sandboxed) addRejections(state, ended.stderr);
  const failed = failureOf(state, ended);
  const refused = sandboxed && ask?.access !== "read" ? [...state.refused] : [];
  return {
    message: state.lastText,
    usage: state.usage,
    ...(state.session !== "" && { sessionId: state.session }),
    ...(failed && { failed }),
    ...(refused.length > 0 && { refused }),
  };
}

export function codexReader(ask?: Ask): Reader {
  const state: State = {
    session: "",
    lastText: "",
    usage: {},
    error: "",
    ended: false,
    sandbox: "",
    ran: false,
    refused: new Set(),
  };
  const read = (line: Json): readonly Shown[] => {
    switch (line.type) {
      case "thread.started":
        state.session = textAt(line, "thread_id");
        return [];
      case "item.started":
      case "item.completed":
        return onItem(state, at(line, "item"), line.type === "item.completed");
      case "turn.completed":
        state.usage = usageOf(at(line, "usage"));
        state.ended = true;
        return [];
      case "turn.failed":
        state.error = textAt(line, "error", "message") || "its turn failed";
        return [];
      case "error":
        state.error = textAt(line, "message");
        return [{ text: `[${oneLine(errorMessage(state.error), 300)}]` }];
      default:
        return [];
    }
  };
  return {
    line: jsonLines(read),
    end: (ended) => report(state, ended, ask),
  };
}
