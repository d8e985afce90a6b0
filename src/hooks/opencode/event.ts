// Which session an event of opencode is about.

interface Properties {
  readonly sessionID?: unknown;
  readonly info?: { readonly id?: unknown };
}

export interface Heard {
  readonly session?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function eventOf({
  type,
  properties,
}: {
  readonly type: string;
  readonly properties?: unknown;
}): Heard {
  const data = (typeof properties === "object" && properties !== null ? properties : {}) as Properties;
  // Older versions of opencode name the session only in what they tell of it.
  const session = data.sessionID ?? (type.startsWith("session.") ? data.info?.id : undefined);
  return { data: { ...data }, ...(typeof session === "string" && { session }) };
}
