// Calls our hooks as Claude Code would, with a transcript and a state folder in temporary folders.
import fs from "node:fs";
import path from "node:path";
import { answerCommandHook } from "#hooks/answer-command-hook";
import { claude } from "#hooks/claude";
import { folders } from "./folders.ts";

export interface Answered {
  readonly decision?: string;
  readonly reason?: string;
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly hookEventName: string; readonly additionalContext: string };
}

/** One entry of a transcript. */
export type Line = object | string;

const ID = "5b3f8a52-0000-4000-8000-000000000001";

export const asked = (content: unknown, more: object = {}): Line => ({
  type: "user",
  message: { role: "user", content },
  ...more,
});

export const said = (text: string, more: object = {}, id = `msg_${text}`): Line => ({
  type: "assistant",
  message: {
    id,
    model: "claude-sonnet-4-5",
    content: [{ type: "text", text }],
    usage: {
      input_tokens: 1_000,
      cache_creation_input_tokens: 3,
      cache_read_input_tokens: 7,
      output_tokens: 20,
    },
  },
  ...more,
});

export const called = (id: string): Line => ({
  type: "assistant",
  message: { id, model: "claude-sonnet-4-5", content: [{ type: "tool_use", name: "Bash", input: {} }] },
});

export const printed = (content: string): Line => asked([{ type: "tool_result", content }]);

export const asText = (lines: readonly Line[]): string =>
  lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");

export function claudeHook(session = ID, given = folders()) {
  const { dir, files } = given;
  const env: NodeJS.ProcessEnv = {
    CONVERGE_HOME: path.join(files, "state"),
    XDG_CONFIG_HOME: files,
    HOME: path.join(files, "home"),
    CLAUDE_PROJECT_DIR: dir,
    PATH: process.env.PATH,
  };
  const transcript = path.join(files, `${session}.jsonl`);
  const raw = async (event: string, text: string): Promise<Answered> =>
    JSON.parse(await answerCommandHook({ host: claude, event }, text, env));
  const call = (event: string, input: object = {}) =>
    raw(event, JSON.stringify({ session_id: session, cwd: dir, transcript_path: transcript, ...input }));
  return {
    dir,
    files,
    env,
    session,
    transcript,
    raw,
    call,
    type: (prompt: string) => call("prompt", { prompt }),
    /** Ends the turn; `text` is the last assistant message. */
    stop: (text?: string, input: object = {}) =>
      call("stop", { stop_hook_active: true, last_assistant_message: text, ...input }),
    write: (...lines: readonly Line[]) => fs.writeFileSync(transcript, asText(lines)),
    another: (id: string) => claudeHook(id, given),
  };
}
