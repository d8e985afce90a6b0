// Processes ACP session updates: text and tool calls to show, the final message, and the session cost.
import { oneLine, plain, tail } from "#text/plain-text";
import { at, countAt, textAt } from "../shared/read-json.ts";
import { type Tool, toolOf } from "./tool.ts";

export interface Updates {
  /** Handles one `session/update`. Ignores what it does not know; never throws. */
  update(params: unknown): void;
  /** Starts the prompt; earlier updates may replay an old session. */
  begin(session: string): void;
  /** What is known about a tool call, including this update. */
  tool(call: unknown): Tool;
  /** Shows a line of our own. */
  note(text: string): void;
  /** The text after its last tool call. */
  message(): string;
  /** Session cost in dollars; undefined when not reported. */
  cost(): number | undefined;
}

const MESSAGE_CHARS = 8_000;
const KEPT_CHARS = 100_000;
/** Limit for one chunk; the end is shown when it is longer. */
const SHOWN_CHARS = 16_384;
const MAX_TOOLS = 50;

export function openUpdates(show: (text: string) => void): Updates {
  const tools = new Map<string, Tool>();
  let session: string | undefined;
  let message = "";
  let droppedChars = 0;
  let isLineStart = true;
  let cost: number | undefined;

  const showText = (text: string) => {
    const words = plain(text.slice(-SHOWN_CHARS));
    if (words === "") return;
    isLineStart = words.endsWith("\n");
    show(words);
  };
  const note = (text: string) => showText(`${isLineStart ? "" : "\n"}> ${oneLine(text, 400)}\n`);

  const onText = (text: string) => {
    message += text;
    if (message.length > 2 * KEPT_CHARS) {
      droppedChars += message.length - KEPT_CHARS;
      message = message.slice(-KEPT_CHARS);
    }
    showText(text);
  };
  const tool = (call: unknown): Tool => {
    const id = textAt(call, "toolCallId");
    const before = tools.get(id);
    const now = toolOf(call, before);
    const isOver = /^(?:completed|failed)$/.test(textAt(call, "status"));
    // Re-insert as newest; the oldest calls are evicted.
    tools.delete(id);
    tools.set(id, now);
    for (const [oldest] of tools) if (tools.size > MAX_TOOLS) tools.delete(oldest);
    if (!before || (!isOver && now.title !== before.title)) note(`${now.kind} ${now.title}`.trimEnd());
    if (!before) {
      message = "";
      droppedChars = 0;
    }
    return now;
  };

  /** The cost is of the whole session and in any currency; zero means unknown. */
  const onUsage = (update: unknown) => {
    const amount = at(update, "cost", "currency") === "USD" ? countAt(update, "cost", "amount") : undefined;
    if (amount !== undefined && amount > 0) cost = amount;
  };

  return {
    update: (params) => {
      const update = at(params, "update");
      const kind = at(update, "sessionUpdate");
      if (session === undefined || at(params, "sessionId") !== session) return;
      if (kind === "usage_update") onUsage(update);
      else if (kind === "agent_message_chunk") onText(textAt(update, "content", "text"));
      else if (kind === "tool_call" || kind === "tool_call_update") tool(update);
    },
    begin: (id) => {
      session = id;
    },
    tool,
    note,
    message: () => {
      const words = plain(message).trim();
      if (droppedChars === 0) return tail(words, MESSAGE_CHARS);
      return `[… more than ${droppedChars} characters left out]\n${words.slice(-MESSAGE_CHARS).toWellFormed()}`;
    },
    cost: () => cost,
  };
}
