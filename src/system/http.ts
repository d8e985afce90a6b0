// HTTP helpers: which URLs are safe for secrets, bounded bodies, and the reason of a network error.

export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** Whether the connection is encrypted or stays on this machine. */
export function isPrivate(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
}

/** Reads the whole body, or undefined when it is larger than `limit`; with `keep: "end"`, only its last `limit` bytes. */
export async function bodyOf(
  response: Response,
  limit: number,
  keep: "all" | "end",
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (keep === "all" && size > limit) return undefined;
    while (keep === "end" && size - (chunks[0]?.length ?? 0) >= limit) size -= chunks.shift()?.length ?? 0;
  }
  return Buffer.concat(chunks).subarray(-limit);
}

/** The error code below HTTP: ECONNREFUSED, ENOTFOUND, … */
export function networkReason(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
