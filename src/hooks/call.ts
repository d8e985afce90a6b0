// What is said between a program that cannot load us and `converge hook session`: one call in, one answer out, as JSON.
import type { SessionKey, SessionWish, Turn } from "#spec/session";

export type Call =
  | { readonly call: "start"; readonly key: SessionKey; readonly wish: SessionWish }
  | { readonly call: "find"; readonly key: SessionKey }
  | { readonly call: "turn"; readonly key: SessionKey; readonly turn: Turn }
  | { readonly call: "cancel"; readonly key: SessionKey; readonly reason: string }
  | { readonly call: "list"; readonly host: string; readonly dir?: string };

export interface CallAnswer {
  /** Absent when there is nothing, or when it could not be done. */
  readonly value?: unknown;
  readonly error?: { readonly name: string; readonly message: string };
  /** What people should know besides. */
  readonly warnings: readonly string[];
}
