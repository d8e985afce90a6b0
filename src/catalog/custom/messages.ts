// What crosses the border of the thread: one question at a time, one reply to each; the first reply is about loading.
import type { Run } from "#spec/run";

export interface Order {
  readonly module: string;
  readonly exportName: string;
  readonly config: unknown;
}

export type Question = { readonly type: "decide"; readonly run: Run } | { readonly type: "end" };

export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };
