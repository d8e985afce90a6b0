// The lines of a process as messages for the protocol's library. What the library would queue without end or complain
// about aloud stops here: updates are taken out as they come, and what is no message is left in the log.
import type { Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { oneLine } from "#text/plain-text";
import { type Json, parseObject } from "../shared/read-json.ts";

export interface Wire {
  readonly stream: Stream;
  /** The process is there; what was written before waits for it. */
  open(input: Writable): void;
  line(line: string): void;
  /** Nothing more is written to it: it may go. */
  hangUp(): void;
  /** Nothing more comes from it. */
  end(): void;
  /** The first line that was no message. */
  rubbish(): string | undefined;
  /** It asks and asks, and does not take the answers. */
  flooded(): boolean;
}

/** Questions of the agent that are not answered yet. */
const MOST_CHARS = 32 * 1024 * 1024;
const MOST_QUESTIONS = 1_000;
const RUBBISH_CHARS = 200;

export function openWire(onUpdate: (params: unknown) => void): Wire {
  const expected = new Set<unknown>();
  const questions: number[] = [];
  let chars = 0;
  let rubbish: string | undefined;
  let flooded = false;
  let ended = false;
  let begin: (input: Writable) => void = () => {};
  const input = new Promise<Writable>((resolve) => {
    begin = resolve;
  });

  let incoming: ReadableStreamDefaultController<AnyMessage> | undefined;
  const readable = new ReadableStream<AnyMessage>({
    start: (controller) => {
      incoming = controller;
    },
    cancel: () => {
      ended = true;
      incoming = undefined;
    },
  });
  const end = () => {
    if (ended) return;
    ended = true;
    // A moment later: an answer that came just before the end is still an answer.
    setImmediate(() => incoming?.close());
  };
  const pass = (message: Json) => {
    if (!ended) incoming?.enqueue(message as unknown as AnyMessage);
  };

  const question = (message: Json, size: number) => {
    questions.push(size);
    chars += size;
    flooded = questions.length > MOST_QUESTIONS || chars > MOST_CHARS;
    if (flooded) end();
    else pass(message);
  };
  const writable = new WritableStream<AnyMessage>({
    write: async (message) => {
      const isOurs = "method" in message;
      if (isOurs && "id" in message) expected.add(message.id);
      const to = await input;
      // One that is gone reads nothing; how it went is told by its end.
      await new Promise<void>((done) => to.write(`${JSON.stringify(message)}\n`, () => done()));
      if (!isOurs) chars -= questions.shift() ?? 0;
    },
  });

  const line = (text: string) => {
    const message = parseObject(text);
    if (message && typeof message.method === "string") {
      if ("id" in message) question(message, text.length);
      else if (message.method === "session/update") onUpdate(message.params);
    } else if (message && expected.delete(message.id)) pass(message);
    else if (!message && text.trim() !== "") rubbish ??= oneLine(text, RUBBISH_CHARS);
  };

  return {
    stream: { readable, writable },
    open: (to) => {
      to.on("error", () => {});
      begin(to);
    },
    line,
    hangUp: () => void input.then((to) => to.end()),
    end,
    rubbish: () => rubbish,
    flooded: () => flooded,
  };
}
