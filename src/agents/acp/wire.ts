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

/** The stream of messages from the agent; messages after its end are dropped. */
function openIncoming() {
  let controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  let isEnded = false;
  const readable = new ReadableStream<AnyMessage>({
    start: (started) => {
      controller = started;
    },
    cancel: () => {
      isEnded = true;
      controller = undefined;
    },
  });
  return {
    readable,
    pass: (message: Json) => {
      if (!isEnded) controller?.enqueue(message as unknown as AnyMessage);
    },
    end: () => {
      if (isEnded) return;
      isEnded = true;
      // Deferred, so that a response that arrived just before the end is still delivered.
      setImmediate(() => controller?.close());
    },
  };
}

/** Counts the agent's requests until they are answered. */
function openBacklog() {
  const sizes: number[] = [];
  let chars = 0;
  return {
    add: (size: number) => {
      sizes.push(size);
      chars += size;
    },
    removeOldest: () => {
      chars -= sizes.shift() ?? 0;
    },
    isOverLimit: () => sizes.length > MAX_REQUESTS || chars > MAX_CHARS,
  };
}

/** The stream of messages to the agent. */
function openOutgoing(input: Promise<Writable>, onWrite: { request(id: unknown): void; response(): void }) {
  return new WritableStream<AnyMessage>({
    write: async (message) => {
      const isOurs = "method" in message;
      if (isOurs && "id" in message) onWrite.request(message.id);
      const to = await input;
      // Write errors are ignored: the exit of the process tells what happened.
      await new Promise<void>((done) => to.write(`${JSON.stringify(message)}\n`, () => done()));
      if (!isOurs) onWrite.response();
    },
  });
}

export function openWire(onUpdate: (params: unknown) => void): Wire {
  const requestIds = new Set<unknown>();
  const backlog = openBacklog();
  const incoming = openIncoming();
  const { promise: input, resolve: connect } = deferred<Writable>();
  let rubbish: string | undefined;
  let isFlooded = false;

  const onRequest = (message: Json, size: number) => {
    backlog.add(size);
    isFlooded = backlog.isOverLimit();
    if (isFlooded) incoming.end();
    else incoming.pass(message);
  };
  const line = (text: string) => {
    const message = parseObject(text);
    if (message && typeof message.method === "string") {
      if ("id" in message) onRequest(message, text.length);
      else if (message.method === "session/update") onUpdate(message.params);
    } else if (message && requestIds.delete(message.id)) incoming.pass(message);
    else if (!message && text.trim() !== "") rubbish ??= oneLine(text, RUBBISH_CHARS);
  };

  return {
    stream: {
      readable: incoming.readable,
      writable: openOutgoing(input, { request: (id) => requestIds.add(id), response: backlog.removeOldest }),
    },
    open: (to) => {
      to.on("error", () => {});
      connect(to);
    },
    line,
    hangUp: () => void input.then((to) => to.end()),
    end: incoming.end,
    rubbish: () => rubbish,
    isFlooded: () => isFlooded,
  };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
