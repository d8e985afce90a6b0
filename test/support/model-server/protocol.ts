// What the server needs to know of a vendor's protocol.
import type { Answer, Complaint } from "./script.ts";
import type { Call, Tool } from "./tools.ts";

// A request's body: an agent's, not ours, so nothing in it is certain.
// biome-ignore lint/suspicious/noExplicitAny: each protocol looks only at the few fields it needs, with `?.`
export type Body = any;

export interface Asked {
  readonly path: string;
  readonly body: Body;
}

export interface Reply extends Asked {
  readonly answer: Answer;
  readonly calls: readonly Call[];
  /** Different for each reply of a server. */
  readonly id: string;
}

export interface Streamed {
  readonly events: readonly { readonly event?: string; readonly data: unknown }[];
  /** OpenAI's chat ends with `data: [DONE]`. */
  readonly end?: string;
}

export interface Protocol {
  readonly name: string;
  /** Model requests come by POST to paths like this. */
  readonly path: RegExp;
  /** Requests that only count tokens, and their answer. */
  readonly counting?: { readonly path: RegExp; readonly answer: unknown };
  tools(body: Body): Tool[];
  streams(asked: Asked): boolean;
  stream(reply: Reply): Streamed;
  whole(reply: Reply): unknown;
  /** The vendor's own words and status for a complaint. */
  refuse(kind: Complaint): { readonly status: number; readonly body: unknown };
}
