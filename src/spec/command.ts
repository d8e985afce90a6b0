// What people tell a run while it is under way. Commands wait in the store's inbox and are read at safe points.

export type Command =
  | { readonly type: "stop"; readonly reason: string }
  | { readonly type: "pause" }
  | { readonly type: "steer"; readonly text: string }
  | {
      readonly type: "decide";
      readonly choice: "continue" | "accept" | "stop" | "rollback";
      readonly feedback?: string;
      readonly iteration?: number;
    }
  | {
      readonly type: "approve" | "reject";
      readonly gate: string;
      readonly by: string;
      readonly message?: string;
    };

export interface Queued {
  /** Grows by arrival, per store. */
  readonly id: number;
  readonly command: Command;
}
