// Server-sent events that come back by themselves: after a break they go on behind the last one that was seen.
import { get } from "./api.ts";

export type Connection = "connecting" | "open" | "reconnecting";

export interface StreamHandlers {
  /** One event; `id` is its Last-Event-ID, when it has one. */
  readonly onEvent: (data: unknown, id: string) => void;
  readonly onConnection: (connection: Connection) => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;
/** Any request that only somebody who is signed in may make. */
const PROBE = "/runs?limit=1";

/** Listens to events of that name until closed. `after` is where to begin. */
export function listen(
  path: string,
  name: string,
  { onEvent, onConnection }: StreamHandlers,
  after?: string | number,
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
    // A client that was too slow is closed by the server; it comes back like any other.
    source.onerror = again;
  };

  // The browser alone would give up on some answers, so it is done here: a failed stream says nothing of its cause,
  // and a plain request finds out whether we are still signed in.
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
