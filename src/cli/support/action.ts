// How a command of the command line is carried out: what commander hands over goes in, an exit code comes out.

// biome-ignore lint/suspicious/noExplicitAny: commander hands over what each command declared, untyped.
export type Action = (work: (...args: any[]) => Promise<number>) => (...args: unknown[]) => Promise<void>;
