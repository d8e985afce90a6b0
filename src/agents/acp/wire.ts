// Adapts a process's lines to a message stream for the ACP library. Updates are handled here, because the library would
// queue them without limit; lines that are not messages stay in the log.
import type { Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { oneLine } from "#text/plain-text";
import { type Json, parseObject } from "../shared/read-json.ts";

export interface Wire {
  readonly stream: Stream;
  /** Connects the process; earlier writes wait for this. */
  open(input: Writable): void;
  line(line: string): void;
  /** Closes its input, so that it exits. */
  hangUp(): void;
  /** Ends the incoming stream. */
  end(): void;
  /** The first line that is not a message. */
  rubbish(): string | undefined;
  /** The agent sends requests without reading the responses. */
  isFlooded(): boolean;
}

/** Limits for unanswered requests of the agent. */
const MAX_CHARS = 32 * 1024 * 1024;
const MAX_REQUESTS = 1_000;
const RUBBISH_CHARS = 200;

export function openWire(onUpdate: (params: unknown) => void): Wire {
  const pendingIds = new Set<unknown>();
  const pendingSizes: number[] = [];
  let chars = 0;
  let rubbish: string | undefined;
  let isFlooded = false;
  let isEnded = false;
  let connect: (input: Writable) => void = () => {};
  const input = new Promise<Writable>((resolve) => {
    connect = resolve;
  });

  let incoming: ReadableStreamDefaultController<AnyMessage> | undefined;
  const readable = new ReadableStream<AnyMessage>({
    start: (controller) => {
      incoming = controller;
    },
    cancel: () => {
      isEnded = true;
      incoming = undefined;
    },
  });
  const end = () => {
    if (isEnded) return;
    isEnded = true;
    // Deferred, so that a response that arrived just before the end is still delivered.
    setImmediate(() => incoming?.close());
  };
  const pass = (message: Json) => {
    if (!isEnded) incoming?.enqueue(message as unknown as AnyMessage);
  };

  const onRequest = (message: Json, size: number) => {
    pendingSizes.push(size);
    chars += size;
    isFlooded = pendingSizes.length > MAX_REQUESTS || chars > MAX_CHARS;
    if (isFlooded) end();
    else pass(message);
  };
  const writable = new WritableStream<AnyMessage>({
    write: async (message) => {
      const isOurs = "method" in message;
      if (isOurs && "id" in message) pendingIds.add(message.id);
      const to = await input;
      // Write errors are ignored: the exit of the process tells what happened.
      await new Promise<void>((done) => to.write(`${JSON.stringify(message)}\n`, () => done()));
      if (!isOurs) chars -= pendingSizes.shift() ?? 0;
    },
  });

  const line = (text: string) => {
    const message = parseObject(text);
    if (message && typeof message.method === "string") {
      if ("id" in message) onRequest(message, text.length);
      else if (message.method === "session/update") onUpdate(message.params);
    } else if (message && pendingIds.delete(message.id)) pass(message);
    else if (!message && text.trim() !== "") rubbish ??= oneLine(text, RUBBISH_CHARS);
  };

  return {
    stream: { readable, writable },
    open: (to) => {
      to.on("error", () => {});
      connect(to);
    },
    line,
    hangUp: () => void input.then((to) => to.end()),
    end,
    rubbish: () => rubbish,
    isFlooded: () => isFlooded,
  };
}
