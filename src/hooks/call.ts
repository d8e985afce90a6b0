// JSON protocol of `converge hook session`, for programs that cannot load this package: one call in, one answer out.
import type { SessionKey, SessionWish, Turn } from "#spec/session";

export type Call =
  | { readonly call: "start"; readonly key: SessionKey; readonly wish: SessionWish }
  | { readonly call: "find"; readonly key: SessionKey }
  | { readonly call: "turn"; readonly key: SessionKey; readonly turn: Turn }
  | { readonly call: "cancel"; readonly key: SessionKey; readonly reason: string }
  | { readonly call: "list"; readonly host: string; readonly dir?: string };

export interface CallAnswer {
  /** Absent when the call returns nothing or failed. */
  readonly value?: unknown;
  readonly error?: { readonly name: string; readonly message: string };
  /** Warnings for the user. */
  readonly warnings: readonly string[];
}
