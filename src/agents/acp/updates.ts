// What the agent tells while it works: its words and tool calls for people, its last message and what the session costs.
import { oneLine, plain, tail } from "#text/plain-text";
import { at, countAt, textAt } from "../shared/read-json.ts";
import { type Tool, toolOf } from "./tool.ts";

export interface Telling {
  /** One `session/update`. Never throws: what it does not know it passes over. */
  update(params: unknown): void;
  /** From now on it works on our prompt; before, an agent may tell an old session again. */
  begin(session: string): void;
  /** What is known of a tool call, from what was told before and this. */
  tool(call: unknown): Tool;
  /** A line of our own. */
  note(text: string): void;
  /** The words after its last tool call. */
  message(): string;
  /** What the session has cost so far in dollars; undefined when it did not say. */
  cost(): number | undefined;
}

const MESSAGE_CHARS = 8_000;
const KEPT_CHARS = 100_000;
/** Of one piece; the newest part, when there is more. */
const SHOWN_CHARS = 16_384;
const MOST_TOOLS = 50;

export function openTelling(show: (text: string) => void): Telling {
  const tools = new Map<string, Tool>();
  let session: string | undefined;
  let said = "";
  let forgotten = 0;
  let isLineStart = true;
  let cost: number | undefined;

  const say = (text: string) => {
    const words = plain(text.slice(-SHOWN_CHARS));
    if (words === "") return;
    isLineStart = words.endsWith("\n");
    show(words);
  };
  const note = (text: string) => say(`${isLineStart ? "" : "\n"}> ${oneLine(text, 400)}\n`);

  const hear = (text: string) => {
    said += text;
    if (said.length > 2 * KEPT_CHARS) {
      forgotten += said.length - KEPT_CHARS;
      said = said.slice(-KEPT_CHARS);
    }
    say(text);
  };
  const tool = (call: unknown): Tool => {
    const id = textAt(call, "toolCallId");
    const before = tools.get(id);
    const now = toolOf(call, before);
    const isOver = /^(?:completed|failed)$/.test(textAt(call, "status"));
    // Last in, last out: those of long ago are not asked about any more.
    tools.delete(id);
    tools.set(id, now);
    for (const [oldest] of tools) if (tools.size > MOST_TOOLS) tools.delete(oldest);
    if (!before || (!isOver && now.title !== before.title)) note(`${now.kind} ${now.title}`.trimEnd());
    if (!before) {
      said = "";
      forgotten = 0;
    }
    return now;
  };

  /** The protocol tells of the whole session, in any currency; no money at all means that it does not know. */
  const pay = (update: unknown) => {
    const amount = at(update, "cost", "currency") === "USD" ? countAt(update, "cost", "amount") : undefined;
    if (amount !== undefined && amount > 0) cost = amount;
  };

  return {
    update: (params) => {
      const update = at(params, "update");
      const kind = at(update, "sessionUpdate");
      if (session === undefined || at(params, "sessionId") !== session) return;
      if (kind === "usage_update") pay(update);
      else if (kind === "agent_message_chunk") hear(textAt(update, "content", "text"));
      else if (kind === "tool_call" || kind === "tool_call_update") tool(update);
    },
    begin: (id) => {
      session = id;
    },
    tool,
    note,
    message: () => {
      const words = plain(said).trim();
      if (forgotten === 0) return tail(words, MESSAGE_CHARS);
      return `[… more than ${forgotten} characters left out]\n${words.slice(-MESSAGE_CHARS).toWellFormed()}`;
    },
    cost: () => cost,
  };
}
