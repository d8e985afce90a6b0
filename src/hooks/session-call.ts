// Session loops for programs that cannot load us: a call as JSON on standard input of `converge hook session`, and its
// answer on standard output. Both ends are here.
import { openApp } from "#app/open";
import { sessions } from "#app/sessions/sessions";
import type { SessionKey, Sessions, SessionWish, Turn } from "#spec/session";

type Call =
  | { readonly call: "start"; readonly key: SessionKey; readonly wish: SessionWish }
  | { readonly call: "find"; readonly key: SessionKey }
  | { readonly call: "turn"; readonly key: SessionKey; readonly turn: Turn }
  | { readonly call: "cancel"; readonly key: SessionKey; readonly reason: string }
  | { readonly call: "list"; readonly host: string; readonly dir?: string };

function make(by: Sessions, call: Call): Promise<unknown> {
  switch (call.call) {
    case "start":
      return by.start(call.key, call.wish);
    case "find":
      return by.find(call.key);
    case "turn":
      return by.turn(call.key, call.turn);
    case "cancel":
      return by.cancel(call.key, call.reason);
    case "list":
      return by.list(call.host, call.dir);
  }
}

export async function answerCall(text: string): Promise<string> {
  const warnings: string[] = [];
  const app = openApp();
  try {
    const by = sessions(app, { warn: (warning) => warnings.push(warning) });
    return JSON.stringify({ value: await make(by, JSON.parse(text) as Call), warnings });
  } catch (error) {
    const { name, message } = error as Error;
    return JSON.stringify({ error: { name, message }, warnings });
  } finally {
    await app.store.close();
  }
}
