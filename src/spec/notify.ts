// Notifications: who is told about which events of a run.

/** Events that can be notified: the outcome of a run, a wait for a person, an escalated gate, a later command of a person. */
export const NOTABLE = [
  "converged",
  "diverged",
  "waiting",
  "blocked",
  "escalated",
  "error",
  "stopped",
  "delivered",
  "restored",
] as const;

export type Notable = (typeof NOTABLE)[number];

/**
 * Address of a webhook. The URL itself is a credential, so a run stores only its host and the key under which the state
 * folder has the rest, or the environment variable that holds it.
 */
export type Address = { readonly urlEnv: string } | { readonly host: string; readonly kept: string };

export type Notify = { readonly on: readonly Notable[] } & (
  | {
      readonly type: "webhook";
      readonly address: Address;
      /** The environment variable with the secret that signs messages. */
      readonly secretEnv?: string;
      readonly headers: Readonly<Record<string, string | { readonly env: string }>>;
    }
  | { readonly type: "slack"; readonly address: Address }
  | { readonly type: "command"; readonly command: string }
  | { readonly type: "desktop" }
);

/** Content of a notification: plain text, bounded, without links. */
export interface Notice {
  readonly event: Notable | "test";
  readonly run: string;
  readonly state: string;
  readonly reason: string;
  /** The escalated gate. */
  readonly gate?: string;
  readonly iterations: number;
  /** 0..1, after the first verdict. */
  readonly score?: number;
  /** US dollars; absent when unknown. */
  readonly cost?: number;
  /** The first line of the prompt. */
  readonly title: string;
  readonly workspace: string;
  readonly time: string;
}
