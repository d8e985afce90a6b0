// Who is told of what happens to a run, and of what.

/** What people may want to hear of: how a run ended, that it waits for a person, that a gate was escalated. */
export const NOTABLE = [
  "converged",
  "diverged",
  "waiting",
  "blocked",
  "escalated",
  "error",
  "stopped",
] as const;

export type Notable = (typeof NOTABLE)[number];

/**
 * Where a message is sent. Who knows such a URL can use it, so a run keeps only its host, and the name under which the
 * state folder has the rest; or the variable that it is in.
 */
export type Address = { readonly urlEnv: string } | { readonly host: string; readonly kept: string };

export type Notify = { readonly on: readonly Notable[] } & (
  | {
      readonly type: "webhook";
      readonly address: Address;
      /** The variable with the secret that messages are signed with. */
      readonly secretEnv?: string;
      readonly headers: Readonly<Record<string, string | { readonly env: string }>>;
    }
  | { readonly type: "slack"; readonly address: Address }
  | { readonly type: "command"; readonly command: string }
  | { readonly type: "desktop" }
);

/** What is told: plain, bounded, and without anything to click on. */
export interface Notice {
  readonly event: Notable | "test";
  readonly run: string;
  readonly state: string;
  readonly reason: string;
  /** The gate that was escalated. */
  readonly gate?: string;
  readonly iterations: number;
  /** 0..1, once a gate has judged. */
  readonly score?: number;
  /** Dollars; absent when nobody told. */
  readonly cost?: number;
  /** The first line of the prompt. */
  readonly title: string;
  readonly workspace: string;
  readonly time: string;
}
