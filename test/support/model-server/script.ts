// What the model is to say, turn by turn, whatever protocol it is asked in.

export interface Tokens {
  /** All of the input, the cached part included. */
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
  /** A call of a tool as it stands, whether it is offered or not. */
  readonly call?: { readonly name: string; readonly input: Readonly<Record<string, unknown>> };
  readonly usage?: Tokens;
}

export type Complaint = "rate-limit" | "overloaded" | "quota" | "auth" | "context-too-long" | "unknown-model";

export interface Refusal {
  readonly error: {
    readonly kind: Complaint;
    /** The vendor's own, unless told. */
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** Instead of what the vendor's API says to a customer with a key: subscriptions have other words. */
    readonly body?: unknown;
  };
}

export type Turn = Answer | Refusal;

/** One turn for each model request that offers tools, then `DONE` for ever; or a function of that request's number, from 0. */
export type Script = readonly Turn[] | ((index: number, asked: { readonly body: string }) => Turn);

const DONE: Answer = { say: "Done." };

/** For requests without tools, unless told: titles, summaries, topic detection. They use up no turn. */
export const ASIDE: Answer = { say: "A short answer" };

export function turnOf(script: Script, index: number, asked: { readonly body: string }): Turn {
  return typeof script === "function" ? script(index, asked) : (script[index] ?? DONE);
}

export function tokensOf({ usage = {} }: Answer): Required<Tokens> {
  return { input: usage.input ?? 1000, output: usage.output ?? 20, cached: usage.cached ?? 0 };
}
