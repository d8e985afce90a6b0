// Script of a fake model: its answers turn by turn, independent of the protocol.

export interface Tokens {
  /** All input tokens, including cached ones. */
  readonly input?: number;
  readonly output?: number;
  readonly cached?: number;
}

export interface Answer {
  readonly say?: string;
  /** A command for the agent's own shell tool. */
  readonly shell?: string;
  /** A file for the agent's own tool that writes files; the path is absolute. */
  readonly write?: { readonly path: string; readonly text: string };
  /** A raw tool call, whether the tool is offered or not. */
  readonly call?: { readonly name: string; readonly input: Readonly<Record<string, unknown>> };
  readonly usage?: Tokens;
}

export type Complaint = "rate-limit" | "overloaded" | "quota" | "auth" | "context-too-long" | "unknown-model";

export interface Refusal {
  readonly error: {
    readonly kind: Complaint;
    /** Defaults to the vendor's status for this error. */
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** Replaces the vendor's API error body, for example with the one for subscriptions. */
    readonly body?: unknown;
  };
}

export type Turn = Answer | Refusal;

/** One turn for each request that offers tools, then `DONE` forever; or a function of the request's index. */
export type Script = readonly Turn[] | ((index: number, asked: { readonly body: string }) => Turn);

const DONE: Answer = { say: "Done." };

/** Default answer to requests without tools: titles, summaries, topic detection. They use no turn. */
export const ASIDE: Answer = { say: "A short answer" };

export function turnOf(script: Script, index: number, asked: { readonly body: string }): Turn {
  return typeof script === "function" ? script(index, asked) : (script[index] ?? DONE);
}

export function tokensOf({ usage = {} }: Answer): Required<Tokens> {
  return { input: usage.input ?? 1000, output: usage.output ?? 20, cached: usage.cached ?? 0 };
}
