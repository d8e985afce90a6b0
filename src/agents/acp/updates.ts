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
const MAX_MESSAGE_CHARS = 100_000;
/** Limit for one chunk; the end is shown when it is longer. */
const SHOWN_CHARS = 16_384;
const MAX_TOOLS = 50;

/** Collects the final message with a limit: the start of a longer one is dropped. */
function openMessage() {
  let text = "";
  let droppedChars = 0;
  return {
    add: (chunk: string) => {
      text += chunk;
      if (text.length <= 2 * MAX_MESSAGE_CHARS) return;
      droppedChars += text.length - MAX_MESSAGE_CHARS;
      text = text.slice(-MAX_MESSAGE_CHARS);
    },
    clear: () => {
      text = "";
      droppedChars = 0;
    },
    text: () => {
      const words = plain(text).trim();
      if (droppedChars === 0) return tail(words, MESSAGE_CHARS);
      return `[… more than ${droppedChars} characters left out]\n${words.slice(-MESSAGE_CHARS).toWellFormed()}`;
    },
  };
}

/** Shows chunks of text, and notes on lines of their own. */
function openDisplay(show: (text: string) => void) {
  let isLineStart = true;
  const text = (chunk: string) => {
    const words = plain(chunk.slice(-SHOWN_CHARS));
    if (words === "") return;
    isLineStart = words.endsWith("\n");
    show(words);
  };
  const note = (words: string) => text(`${isLineStart ? "" : "\n"}> ${oneLine(words, 400)}\n`);
  return { text, note };
}

/** The session cost in an update; it may be in any currency, and zero means unknown. */
function costIn(update: unknown): number | undefined {
  const amount = at(update, "cost", "currency") === "USD" ? countAt(update, "cost", "amount") : undefined;
  return amount !== undefined && amount > 0 ? amount : undefined;
}

export function openUpdates(show: (text: string) => void): Updates {
  const tools = new Map<string, Tool>();
  const message = openMessage();
  const display = openDisplay(show);
  let session: string | undefined;
  let cost: number | undefined;

  const tool = (call: unknown): Tool => {
    const id = textAt(call, "toolCallId");
    const before = tools.get(id);
    const now = toolOf(call, before);
    const isOver = /^(?:completed|failed)$/.test(textAt(call, "status"));
    // Re-insert as newest; the oldest calls are evicted.
    tools.delete(id);
    tools.set(id, now);
    for (const [oldest] of tools) if (tools.size > MAX_TOOLS) tools.delete(oldest);
    if (!before || (!isOver && now.title !== before.title))
      display.note(`${now.kind} ${now.title}`.trimEnd());
    if (!before) message.clear();
    return now;
  };
  const onText = (text: string) => {
    message.add(text);
    display.text(text);
  };

  return {
    update: (params) => {
      const update = at(params, "update");
      const kind = at(update, "sessionUpdate");
      if (session === undefined || at(params, "sessionId") !== session) return;
      if (kind === "usage_update") cost = costIn(update) ?? cost;
      else if (kind === "agent_message_chunk") onText(textAt(update, "content", "text"));
      else if (kind === "tool_call" || kind === "tool_call_update") tool(update);
    },
    begin: (id) => {
      session = id;
    },
    tool,
    note: display.note,
    message: message.text,
    cost: () => cost,
  };
}
