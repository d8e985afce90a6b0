// Messages between the main thread and the worker: one reply per question. The first reply reports whether the module loaded.
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
