// What a session loop needs of its host, done through opencode's client.
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
    // Told nothing, opencode would go on with its default agent, whatever the user had chosen.
    injectPrompt: async (id, text) => {
      const body = { ...settingsOf(await messages(id)), parts: [{ type: "text" as const, text }] };
      dataOf(await client.session.promptAsync({ path: { id }, body }));
    },
    showToast: (toast) => {
      const show = async () => client.tui.showToast({ body: toast });
      // Where nobody sits, nobody misses it.
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
