// Server-sent events to one client: taken when the client has room for them, so that nobody's slowness fills our memory.
import type { ServerResponse } from "node:http";
import type { RunRow } from "#spec/store";
import type { Hub, Listener } from "./hub.ts";
import { problem } from "./reply.ts";

export interface Feed {
  /** Notes that a run has changed; false when that is none of its business. */
  changed(row: RunRow): boolean;
  /** What there is to say now, as finished messages; undefined when there is nothing. */
  take(): Promise<string | undefined>;
}

export interface Pace {
  /** A client that takes nothing for so long, although there is something, is dropped. */
  readonly stallMs: number;
  readonly heartbeatMs: number;
}

/** How long a dropped client has to read that it was. */
const GRACE_MS = 5_000;
const RETRY_MS = 1_000;
const STALLED_TURNS = 2;

export function message(event: string, data: unknown, id?: number): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

class Client implements Listener {
  readonly #feed: Feed;
  readonly #pace: Pace;
  readonly #outgoing: ServerResponse;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Ends the listening. */
  leave: () => void = () => {};
  /** Ends the wait for something to say. */
  #wake: () => void = () => {};
  #news = true;
  #over = false;
  #said = performance.now();
  /** It has not taken yet what it was given then, although there were so many turns to. */
  #givenAt: number | undefined;
  #turns = 0;

  constructor(feed: Feed, pace: Pace, outgoing: ServerResponse) {
    this.#feed = feed;
    this.#pace = pace;
    this.#outgoing = outgoing;
  }

  open(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.#give(`retry: ${RETRY_MS}\n\n`);
  }

  changed(row: RunRow): void {
    if (!this.#feed.changed(row)) return;
    this.#news = true;
    this.#wake();
  }

  tick(): void {
    if (this.#over) return;
    const now = performance.now();
    // When it was us who had no time, nobody was slow.
    const isStalled = this.#givenAt !== undefined && now - this.#givenAt > this.#pace.stallMs;
    if (isStalled && ++this.#turns > STALLED_TURNS) this.#drop();
    else if (now - this.#said > this.#pace.heartbeatMs) this.#wake();
  }

  close(): void {
    if (this.#over) return;
    this.gone();
    this.#controller?.close();
  }

  /** Nobody is there to be told anything. */
  gone(): void {
    this.#over = true;
    this.leave();
    this.#wake();
  }

  /** The client has room. */
  async pull(): Promise<void> {
    this.#givenAt = undefined;
    while (!this.#over) {
      const text = await this.#next();
      if (this.#over) return;
      if (text !== undefined) return this.#give(text);
      if (this.#news) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #next(): Promise<string | undefined> {
    if (this.#news) {
      // Before it is taken: what comes meanwhile is news again.
      this.#news = false;
      const text = await this.#feed.take().catch(() => this.close());
      if (text !== undefined) {
        this.#news = true;
        return text;
      }
    }
    return performance.now() - this.#said > this.#pace.heartbeatMs ? ": still here\n\n" : undefined;
  }

  #give(text: string): void {
    this.#said = performance.now();
    this.#givenAt = this.#said;
    this.#turns = 0;
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

export async function stream(hub: Hub, feed: Feed, pace: Pace, outgoing: ServerResponse): Promise<Response> {
  const client = new Client(feed, pace, outgoing);
  const leave = await hub.listen(client);
  if (!leave)
    return problem(503, "too-many-clients", "as many listen as may; close another page and try again");
  client.leave = leave;
  const gone = () => client.gone();
  outgoing.once("close", gone);
  if (outgoing.destroyed) gone();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => client.open(controller),
    pull: () => client.pull(),
    cancel: gone,
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      // Said here, so that the headers do not wait for the first messages.
      "transfer-encoding": "chunked",
      "x-accel-buffering": "no",
    },
  });
}
