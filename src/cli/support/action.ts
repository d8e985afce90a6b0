// Wraps a command's function as a commander action that sets the exit code.

// biome-ignore lint/suspicious/noExplicitAny: commander passes the declared arguments untyped.
export type Action = (work: (...args: any[]) => Promise<number>) => (...args: unknown[]) => Promise<void>;
