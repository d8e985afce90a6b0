// Finds the session of an opencode event.

interface Properties {
  readonly sessionID?: unknown;
  readonly info?: { readonly id?: unknown };
}

export interface OpencodeEvent {
  readonly session?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function eventOf({
  type,
  properties,
}: {
  readonly type: string;
  readonly properties?: unknown;
}): OpencodeEvent {
  const data = (typeof properties === "object" && properties !== null ? properties : {}) as Properties;
  // Older versions of opencode have the session id only in `info`.
  const session = data.sessionID ?? (type.startsWith("session.") ? data.info?.id : undefined);
  return { data: { ...data }, ...(typeof session === "string" && { session }) };
}
