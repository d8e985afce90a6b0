// Server-sent events with reconnection: after a break the stream resumes after the last event.
import { get } from "./api.ts";

export type Connection = "connecting" | "open" | "reconnecting";

export interface StreamHandlers {
  /** One event; `id` is its Last-Event-ID, if any. */
  readonly onEvent: (data: unknown, id: string) => void;
  readonly onConnection: (connection: Connection) => void;
}

export interface StreamSource {
  readonly path: string;
  /** Name of the events. */
  readonly name: string;
  /** Last-Event-ID to start after. */
  readonly after?: number;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;
/** A cheap request that needs a sign-in. */
const PROBE = "/runs?limit=1";

/** Listens to events until the returned function is called. */
export function listen(
  { path, name, after }: StreamSource,
  { onEvent, onConnection }: StreamHandlers,
): () => void {
  let last = after === undefined ? "" : String(after);
  let wait = FIRST_WAIT_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let source: EventSource | undefined;
  let closed = false;

  const open = () => {
    const where = last === "" ? "" : `?after=${encodeURIComponent(last)}`;
    source = new EventSource(`/api/v1${path}${where}`);
    source.onopen = () => {
      wait = FIRST_WAIT_MS;
      onConnection("open");
    };
    source.addEventListener(name, ({ data, lastEventId }) => {
      if (lastEventId) last = lastEventId;
      onEvent(JSON.parse(String(data)), lastEventId);
    });
    // The server drops slow clients; they reconnect like any other.
    source.onerror = again;
  };

  // EventSource gives up after some errors and hides their cause, so a plain request finds out whether the user is still
  // signed in.
  const again = () => {
    source?.close();
    if (closed) return;
    onConnection("reconnecting");
    timer = setTimeout(() => {
      get(PROBE).then(open, again);
    }, wait);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  };

  onConnection("connecting");
  open();
  return () => {
    closed = true;
    clearTimeout(timer);
    source?.close();
  };
}
