// What everybody needs who speaks HTTP: which addresses keep a secret, bodies that are bounded, and what went wrong below.

export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** Encrypted, or never leaving this machine. */
export function isPrivate(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
}

/** The whole body, undefined when it is larger than `limit`; or no more than its last `limit` bytes. */
export async function bodyOf(
  response: Response,
  limit: number,
  keep: "all" | "end",
): Promise<Buffer | undefined> {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    kept.push(piece);
    size += piece.length;
    if (keep === "all" && size > limit) return undefined;
    while (keep === "end" && size - (kept[0]?.length ?? 0) >= limit) size -= kept.shift()?.length ?? 0;
  }
  return Buffer.concat(kept).subarray(-limit);
}

/** The name of what went wrong below HTTP: ECONNREFUSED, ENOTFOUND, … */
export function networkReason(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
