// What the plugin uses of opencode: its client, its messages and its hooks, as small as they are needed.
// Written after opencode 1.18; what is optional here has been seen missing.

export interface Model {
  readonly providerID: string;
  readonly modelID: string;
  readonly variant?: string;
}

export interface Tokens {
  readonly input?: number;
  readonly output?: number;
  readonly reasoning?: number;
  readonly cache?: { readonly read?: number; readonly write?: number };
}

export interface Part {
  readonly type: string;
  readonly text?: string;
  /** Shown to the user and kept from the model. */
  readonly ignored?: boolean;
}

export interface Message {
  readonly info: {
    readonly id: string;
    readonly role: string;
    readonly agent?: string;
    /** Of a user's message. */
    readonly model?: Model;
    /** From here on of an assistant's. */
    readonly providerID?: string;
    readonly modelID?: string;
    readonly time?: { readonly completed?: number };
    /** What the model ended with: `stop`, `tool-calls`, …; absent while it works, and when it was broken off. */
    readonly finish?: string;
    readonly error?: unknown;
    /** True for what sums up an older part of the conversation; a user's message has an object here. */
    readonly summary?: unknown;
    readonly cost?: number;
    readonly tokens?: Tokens;
  };
  readonly parts: readonly Part[];
}

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response?: { readonly status: number };
}

interface SessionPath {
  readonly path: { readonly id: string };
}

export interface Client {
  readonly session: {
    get(options: SessionPath): Promise<Answer<unknown>>;
    messages(options: SessionPath): Promise<Answer<readonly Message[]>>;
    promptAsync(
      options: SessionPath & {
        readonly body: {
          readonly agent?: string;
          readonly model?: { readonly providerID: string; readonly modelID: string };
          readonly variant?: string;
          readonly parts: readonly { readonly type: "text"; readonly text: string }[];
        };
      },
    ): Promise<Answer<unknown>>;
  };
  readonly tui: {
    showToast(options: {
      readonly body: {
        readonly title: string;
        readonly message: string;
        readonly variant: "info" | "success" | "warning" | "error";
        readonly duration: number;
      };
    }): Promise<unknown>;
  };
}

export interface PluginInput {
  readonly client: Client;
  readonly directory: string;
}

export interface Config {
  command?: Record<string, { template: string; description?: string }>;
}

export interface PluginHooks {
  config?(config: Config): Promise<void>;
  event?(input: { readonly event: { readonly type: string; readonly properties?: unknown } }): Promise<void>;
  "command.execute.before"?(
    input: { readonly command: string; readonly sessionID: string; readonly arguments: string },
    output: { readonly parts: { type: string; text?: string }[] },
  ): Promise<void>;
}

/** The data of an answer; throws what was wrong in a sentence. */
export function dataOf<T>({ data, error, response }: Answer<T>): T {
  if (error === undefined || error === null) return data as T;
  const { name, data: details } = error as { name?: unknown; data?: { message?: unknown } };
  throw new Error(
    `opencode answered ${response?.status ?? "with an error"}: ${details?.message ?? name ?? "?"}`,
  );
}
