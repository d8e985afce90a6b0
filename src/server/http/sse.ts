// Streams server-sent events to one client with backpressure: a slow client is dropped, never buffered without limit.
import type { ServerResponse } from "node:http";
import type { RunRow } from "#spec/store";
import type { Hub, Listener } from "./hub.ts";
import { problem } from "./reply.ts";

export interface Feed {
  /** Records a changed run; false when the feed does not cover it. */
  changed(row: RunRow): boolean;
  /** The pending messages, formatted; undefined when there are none. */
  take(): Promise<string | undefined>;
}

export interface Pace {
  /** A client that reads nothing for this long while messages are pending is dropped. */
  readonly stallMs: number;
  readonly heartbeatMs: number;
}

/** How long a dropped client has to read the reason. */
const GRACE_MS = 5_000;
const RETRY_MS = 1_000;
const MAX_OVERDUE_TICKS = 2;

export function message(event: string, data: unknown, id?: number): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

class Client implements Listener {
  readonly #feed: Feed;
  readonly #pace: Pace;
  readonly #outgoing: ServerResponse;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Unsubscribes from the hub. */
  unsubscribe: () => void = () => {};
  /** Ends the wait for new messages. */
  #wake: () => void = () => {};
  #hasChanges = true;
  #isClosed = false;
  #lastSentAt = performance.now();
  /** When the unread message was sent, and for how many ticks it has been overdue. */
  #unreadSince: number | undefined;
  #overdueTicks = 0;

  constructor(feed: Feed, pace: Pace, outgoing: ServerResponse) {
    this.#feed = feed;
    this.#pace = pace;
    this.#outgoing = outgoing;
  }

  open(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.#send(`retry: ${RETRY_MS}\n\n`);
  }

  changed(row: RunRow): void {
    if (!this.#feed.changed(row)) return;
    this.#hasChanges = true;
    this.#wake();
  }

  tick(): void {
    if (this.#isClosed) return;
    const now = performance.now();
    // Counts ticks as well as time, so that a busy server does not take its own delay for a slow client.
    const isStalled = this.#unreadSince !== undefined && now - this.#unreadSince > this.#pace.stallMs;
    if (isStalled && ++this.#overdueTicks > MAX_OVERDUE_TICKS) this.#drop();
    else if (now - this.#lastSentAt > this.#pace.heartbeatMs) this.#wake();
  }

  close(): void {
    if (this.#isClosed) return;
    this.disconnect();
    this.#controller?.close();
  }

  /** The client has disconnected. */
  disconnect(): void {
    this.#isClosed = true;
    this.unsubscribe();
    this.#wake();
  }

  /** The client can take more. */
  async pull(): Promise<void> {
    this.#unreadSince = undefined;
    while (!this.#isClosed) {
      const text = await this.#next();
      if (this.#isClosed) return;
      if (text !== undefined) return this.#send(text);
      if (this.#hasChanges) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #next(): Promise<string | undefined> {
    if (this.#hasChanges) {
      // Cleared before taking, so that a change in the meantime sets it again.
      this.#hasChanges = false;
      const text = await this.#feed.take().catch(() => this.close());
      if (text !== undefined) {
        this.#hasChanges = true;
        return text;
      }
    }
    return performance.now() - this.#lastSentAt > this.#pace.heartbeatMs ? ": still here\n\n" : undefined;
  }

  #send(text: string): void {
    this.#lastSentAt = performance.now();
    this.#unreadSince = this.#lastSentAt;
    this.#overdueTicks = 0;
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  #drop(): void {
    this.#controller?.enqueue(
      this.#encoder.encode(message("dropped", { reason: "this client reads too slowly" })),
    );
    this.close();
    setTimeout(() => this.#outgoing.destroy(), GRACE_MS).unref();
  }
}

export interface StreamOptions {
  readonly hub: Hub;
  readonly pace: Pace;
  readonly outgoing: ServerResponse;
}

export async function stream(feed: Feed, { hub, pace, outgoing }: StreamOptions): Promise<Response> {
  const client = new Client(feed, pace, outgoing);
  const unsubscribe = await hub.listen(client);
  if (!unsubscribe)
    return problem(503, "too-many-clients", "too many open streams. Close another page and try again");
  client.unsubscribe = unsubscribe;
  const disconnect = () => client.disconnect();
  outgoing.once("close", disconnect);
  if (outgoing.destroyed) disconnect();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => client.open(controller),
    pull: () => client.pull(),
    cancel: disconnect,
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      // Set here, so that the headers do not wait for the first message.
      "transfer-encoding": "chunked",
      "x-accel-buffering": "no",
    },
  });
}
