// What Codex prints with `exec --json`.
import type { Usage } from "#spec/agent";
import { oneLine } from "#text/plain-text";
import { classify } from "../shared/classify-failure.ts";
import type { Ask, Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import {
  at,
  countAt,
  type Json,
  jsonLines,
  known,
  listAt,
  parseObject,
  textAt,
} from "../shared/read-json.ts";
import { ALLOW_ALL } from "../shared/refusal.ts";

const MOST_REFUSALS = 100;

interface Seen {
  session: string;
  said: string;
  usage: Usage;
  error: string;
  ended: boolean;
  /** Its sandbox could not be set up, as it said; and whether a command has run all the same. */
  sandbox: string;
  ran: boolean;
  readonly refused: Set<string>;
}

/** `/bin/bash -lc 'npm test'` is `npm test`. */
function bare(command: string): string {
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

function refuse(seen: Seen, what: string, why: string): void {
  const help = `its sandbox ${why}; allow it with ${ALLOW_ALL}`;
  if (seen.refused.size < MOST_REFUSALS) seen.refused.add(`Codex was not allowed to ${what}: ${help}`);
}

/** The sandbox speaks through the commands that fail in it. */
function commandEnded(seen: Seen, item: unknown): void {
  const output = textAt(item, "aggregated_output");
  const status = textAt(item, "status");
  const run = `run ${bare(textAt(item, "command"))}`;
  if (status === "declined") refuse(seen, run, "asks first");
  else if (status === "failed" && NO_SANDBOX.test(output)) seen.sandbox = oneLine(output, 200);
  else {
    seen.ran = true;
    if (status === "failed" && NO_WRITES.test(output))
      refuse(seen, run, "lets it write in the workspace alone");
    else if (status === "failed" && NO_NETWORK.test(output)) refuse(seen, run, "has no network");
  }
}

function changes(item: unknown): string {
  return listAt(item, "changes")
    .map((change) => textAt(change, "path"))
    .join(" ");
}

function itemShown(seen: Seen, item: unknown, completed: boolean): Shown[] {
  switch (textAt(item, "type")) {
    case "agent_message":
      if (!completed) return [];
      seen.said = textAt(item, "text");
      return [{ text: seen.said }];
    case "command_execution":
      if (completed) commandEnded(seen, item);
      return completed ? [] : [{ tool: "shell", text: bare(textAt(item, "command")) }];
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

/** Of one turn or, in a session that goes on, of all of them so far. */
function usageOf(usage: unknown): Usage {
  return known({
    inputTokens: countAt(usage, "input_tokens"),
    cachedTokens: countAt(usage, "cached_input_tokens"),
    outputTokens: countAt(usage, "output_tokens"),
  });
}

const REJECTED = /codex_core::\S*: error=(.*rejected.*)/gi;

/** What it would not do at all it tells only in its log. */
function rejections(seen: Seen, stderr: string): void {
  for (const [, words = ""] of stderr.matchAll(REJECTED)) {
    const command = /`([^`]+)` rejected/.exec(words)?.[1];
    const why = /rejected: ([^"\\;]+)/.exec(words)?.[1] ?? "forbids it";
    refuse(seen, command ? `run ${bare(command)}` : "change a file", `says: ${oneLine(why, 150)}`);
  }
}

const NESTED = 'its own sandbox cannot be set up here; use "isolation: strict", which takes its place';

/** Some of its errors are the service's whole answer. */
function sentence(error: string): string {
  return textAt(parseObject(error), "error", "message") || error;
}

function failureOf(seen: Seen, { exitCode, now }: Ended): Failed | undefined {
  if (seen.sandbox !== "" && !seen.ran)
    return { failure: "blocked", blockedBy: "permission", reason: `${NESTED} (${seen.sandbox})` };
  if (seen.error === "" || (exitCode === 0 && seen.ended)) return undefined;
  const reason = sentence(seen.error);
  const failed = classify(seen.error, now) ?? { failure: "crashed" };
  return { ...failed, reason };
}

function report(seen: Seen, ended: Ended, ask: Ask | undefined): Report {
  const sandboxed = ask === undefined || (ask.permissions === "auto" && ask.tier !== "strict");
  if (sandboxed) rejections(seen, ended.stderr);
  const failed = failureOf(seen, ended);
  const refused = sandboxed && ask?.access !== "read" ? [...seen.refused] : [];
  return {
    message: seen.said,
    usage: seen.usage,
    ...(seen.session !== "" && { sessionId: seen.session }),
    ...(failed && { failed }),
    ...(refused.length > 0 && { refused }),
  };
}

export function codexReader(ask?: Ask): Reader {
  const seen: Seen = {
    session: "",
    said: "",
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
        seen.session = textAt(line, "thread_id");
        return [];
      case "item.started":
      case "item.completed":
        return itemShown(seen, at(line, "item"), line.type === "item.completed");
      case "turn.completed":
        seen.usage = usageOf(at(line, "usage"));
        seen.ended = true;
        return [];
      case "turn.failed":
        seen.error = textAt(line, "error", "message") || "its turn failed";
        return [];
      case "error":
        seen.error = textAt(line, "message");
        return [{ text: `[${oneLine(sentence(seen.error), 300)}]` }];
      default:
        return [];
    }
  };
  return {
    line: jsonLines(read),
    end: (ended) => report(seen, ended, ask),
  };
}
