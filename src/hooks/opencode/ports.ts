// Implements the host functions of a session loop with opencode's client.
import type { SessionLoopOptions } from "../session-loop.ts";
import { type Client, dataOf, type Message } from "./client.ts";
import { sessionMessage, settingsOf } from "./messages.ts";

type Ports = Required<
  Pick<SessionLoopOptions, "getMessages" | "injectPrompt" | "showToast" | "checkSessionExists">
>;

export interface OpencodePorts extends Ports {
  messages(session: string): Promise<readonly Message[]>;
}

export function opencodePorts(client: Client): OpencodePorts {
  const messages = async (id: string) => dataOf(await client.session.messages({ path: { id } })) ?? [];
  return {
    messages,
    getMessages: async (id) => (await messages(id)).map(sessionMessage),
    // Without these settings, opencode would use its default agent instead of the user's choice.
    injectPrompt: async (id, text) => {
      const body = { ...settingsOf(await messages(id)), parts: [{ type: "text" as const, text }] };
      dataOf(await client.session.promptAsync({ path: { id }, body }));
    },
    showToast: (toast) => {
      const show = async () => client.tui.showToast({ body: toast });
      // Ignores errors: without a terminal interface there is nobody to see a toast.
      show().catch(() => {});
    },
    checkSessionExists: async (id) => {
      const answer = await client.session.get({ path: { id } });
      if (answer.response?.status === 404) return false;
      dataOf(answer);
      return true;
    },
  };
}
