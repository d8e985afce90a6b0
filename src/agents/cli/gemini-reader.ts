// What Gemini CLI prints as stream-json: words in pieces, tools and their results, and numbers at the end.
import type { Usage } from "#spec/agent";
import { classify } from "../shared/classify-failure.ts";
import type { Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import { at, countAt, isObject, type Json, jsonLines, known, textAt } from "../shared/read-json.ts";
import { refusedCommand, refusedTool } from "../shared/refusal.ts";
import { toolInput } from "./tool-input.ts";

const MOST_CHARS = 65_536;
const MOST_TOOLS = 200;
const MOST_REFUSALS = 20;
const UNTRUSTED = /not running in a trusted directory/;

interface Used {
  readonly tool: string;
  readonly on: string;
}

function used(event: Json): Used {
  const on = toolInput(at(event, "parameters"));
  return { tool: textAt(event, "tool_name"), on };
}

function refusal(use: Used): string {
  if (use.tool === "run_shell_command") return refusedCommand("Gemini CLI", use.on);
  return refusedTool("Gemini CLI", use, "a rule in ~/.gemini/policies");
}

function usageOf(stats: unknown): Usage {
  const [total, inputTokens] = [countAt(stats, "total_tokens"), countAt(stats, "input_tokens")];
  const said = countAt(stats, "output_tokens");
  // Thoughts are in the total alone, and cost what words cost.
  const rest = total !== undefined && inputTokens !== undefined ? total - inputTokens : undefined;
  const outputTokens = said !== undefined && rest !== undefined ? Math.max(said, rest) : said;
  return known({ inputTokens, outputTokens, cachedTokens: countAt(stats, "cached") });
}

/** The one that did most of the work: small ones route and summarize. */
function modelOf(stats: unknown): string | undefined {
  const models = at(stats, "models");
  if (!isObject(models)) return undefined;
  const tokens = (name: string) => countAt(models, name, "total_tokens") ?? 0;
  return Object.keys(models).reduce<string | undefined>(
    (best, name) => (best === undefined || tokens(name) > tokens(best) ? name : best),
    undefined,
  );
}

function failedBy(result: Json | undefined, { stderr, now, exitCode }: Ended): Failed | undefined {
  if (UNTRUSTED.test(stderr))
    return {
      failure: "blocked",
      blockedBy: "permission",
      reason:
        "this folder is not trusted; GEMINI_CLI_TRUST_WORKSPACE=true trusts it, `gemini` asks when it is started there",
    };
  if (result?.status !== "error") return undefined;
  const message = textAt(result, "error", "message") || `it ended with ${exitCode}`;
  return classify(message, now) ?? { failure: "crashed", reason: message };
}

export function geminiReader(): Reader {
  let [sessionId, model, message, unshown] = ["", "", "", ""];
  let newTurn = true;
  let result: Json | undefined;
  const tools = new Map<string, Used>();
  const refused = new Set<string>();

  /** Whole lines; the rest when something else comes. */
  function shown(piece: string, all: boolean): Shown[] {
    const text = unshown + piece;
    const end = all || text.length > MOST_CHARS ? text.length : text.lastIndexOf("\n") + 1;
    unshown = text.slice(end);
    return end === 0 ? [] : [{ text: text.slice(0, end) }];
  }

  function said(event: Json): Shown[] {
    const content = textAt(event, "content");
    if (event.role !== "assistant" || content === "") return [];
    message = (newTurn ? content : message + content).slice(-MOST_CHARS);
    newTurn = false;
    return shown(content, event.delta !== true);
  }

  function toolUsed(event: Json): Shown[] {
    const use = used(event);
    if (tools.size < MOST_TOOLS) tools.set(textAt(event, "tool_id"), use);
    newTurn = true;
    return [...shown("", true), { tool: use.tool, text: use.on }];
  }

  function toolEnded(event: Json): Shown[] {
    const id = textAt(event, "tool_id");
    const use = tools.get(id);
    tools.delete(id);
    const wasRefused = textAt(event, "error", "type") === "policy_violation";
    if (use && wasRefused && refused.size < MOST_REFUSALS) refused.add(refusal(use));
    return [];
  }

  function read(event: Json): Shown[] {
    switch (event.type) {
      case "init":
        sessionId = textAt(event, "session_id");
        model = textAt(event, "model");
        return [];
      case "message":
        return said(event);
      case "tool_use":
        return toolUsed(event);
      case "tool_result":
        return toolEnded(event);
      case "error":
        return [...shown("", true), { text: textAt(event, "message") }];
      case "result":
        result = event;
        return shown("", true);
      default:
        return [];
    }
  }

  function report(ended: Ended): Report {
    return known({
      message,
      usage: usageOf(result?.stats),
      model: modelOf(result?.stats) ?? (model || undefined),
      sessionId: sessionId || undefined,
      failed: failedBy(result, ended),
      refused: [...refused],
    }) as Report;
  }

  return {
    line: jsonLines(read),
    end: report,
  };
}
