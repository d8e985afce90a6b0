// Interface between the model server and a vendor's protocol.
import type { Answer, Complaint } from "./script.ts";
import type { Call, Tool } from "./tools.ts";

// The request body comes from an agent, so its shape is not guaranteed.
// biome-ignore lint/suspicious/noExplicitAny: each protocol looks only at the few fields it needs, with `?.`
export type Body = any;

export interface Asked {
  readonly path: string;
  readonly body: Body;
}

export interface Reply extends Asked {
  readonly answer: Answer;
  readonly calls: readonly Call[];
  /** Unique for each reply of a server. */
  readonly id: string;
}

export interface Streamed {
  readonly events: readonly { readonly event?: string; readonly data: unknown }[];
  /** Final data line: OpenAI's chat ends with `[DONE]`. */
  readonly end?: string;
}

export interface Protocol {
  readonly name: string;
  /** Path of model requests, which are POST requests. */
  readonly path: RegExp;
  /** Path and answer of requests that only count tokens. */
  readonly counting?: { readonly path: RegExp; readonly answer: unknown };
  tools(body: Body): Tool[];
  streams(asked: Asked): boolean;
  stream(reply: Reply): Streamed;
  whole(reply: Reply): unknown;
  /** The vendor's HTTP status and body for an error. */
  refuse(kind: Complaint): { readonly status: number; readonly body: unknown };
}
