// Types of the part of opencode's API that the plugin uses: client, messages and hooks.
// Based on opencode 1.18; optional fields were missing in real data.

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
  /** Shown to the user but not sent to the model. */
  readonly ignored?: boolean;
}

export interface Message {
  readonly info: {
    readonly id: string;
    readonly role: string;
    readonly agent?: string;
    /** Only in user messages. */
    readonly model?: Model;
    /** This and the following fields: only in assistant messages. */
    readonly providerID?: string;
    readonly modelID?: string;
    readonly time?: { readonly completed?: number };
    /** Finish reason: `stop`, `tool-calls`, …; absent while the model works, and when it was interrupted. */
    readonly finish?: string;
    readonly error?: unknown;
    /** True for a summary of older messages; an object in user messages. */
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

/** Returns the data of a response, or throws its error. */
export function dataOf<T>({ data, error, response }: Answer<T>): T {
  if (error === undefined || error === null) return data as T;
  const { name, data: details } = error as { name?: unknown; data?: { message?: unknown } };
  throw new Error(
    `opencode answered ${response?.status ?? "with an error"}: ${details?.message ?? name ?? "?"}`,
  );
}
