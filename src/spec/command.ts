// Commands from people to a run. They wait in the store's inbox; the run reads them at safe points.

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
  /** Ascending by arrival, per store. */
  readonly id: number;
  readonly command: Command;
}
