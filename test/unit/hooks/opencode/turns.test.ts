// Classifies opencode's idle events by the messages of the conversation.
import { expect, test } from "vitest";
import type { Message } from "#hooks/opencode/client";
import { turns } from "#hooks/opencode/turns";
import type { SessionLoop } from "#spec/session";

type Info = Partial<Message["info"]>;
const COMPLETE: Info = { time: { completed: 1 }, finish: "stop" };
const user = (id: string): Message => ({ info: { id, role: "user" }, parts: [] });
const answer = (id: string, info: Info = COMPLETE): Message => ({
  info: { id, role: "assistant", ...info },
  parts: [],
});

function session(messages: Message[] = [], loop?: { mark: number }) {
  let questions = 0;
  const find = async () => {
    questions += 1;
    return loop as SessionLoop | undefined;
  };
  return {
    messages,
    questions: () => questions,
    heard: turns({ find, messages: async () => messages }),
  };
}

test("reports the end of a turn once", async () => {
  const { messages, heard } = session();
  await heard.started("s");
  messages.push(user("1"), answer("2"));
  expect([await heard.idle("s"), await heard.idle("s")]).toEqual(["turn", "stray"]);
  messages.push(user("3"), answer("4"));
  expect(await heard.idle("s")).toBe("turn");
});

test.each<[string, Info]>([
  ["the first idle event after an abort", {}],
  ["an aborted answer", { time: { completed: 1 }, error: { name: "MessageAbortedError" } }],
  [
    "an answer that failed with an API error",
    { time: { completed: 1 }, finish: "stop", error: { name: "APIError" } },
  ],
  ["an unfinished answer without an error", { time: { completed: 1 } }],
  ["a summary of the conversation", { ...COMPLETE, summary: true }],
])("ignores %s", async (_, info) => {
  const { messages, heard } = session();
  await heard.started("s");
  messages.push(user("1"), answer("2", info));
  expect(await heard.idle("s")).toBe("stray");
});

test("ignores answers from before the loop", async () => {
  const { heard } = session([user("1"), answer("2")]);
  await heard.started("s");
  expect(await heard.idle("s")).toBe("stray");
});

test("treats an idle event during a retry as an abort, once", async () => {
  const { messages, heard } = session();
  await heard.started("s");
  for (const status of ["busy", "retry", "idle"]) heard.status("s", status);
  messages.push(user("1"), answer("2", { time: { completed: 1 } }));
  expect([await heard.idle("s"), await heard.idle("s")]).toEqual(["aborted", "stray"]);
});

test("treats an idle event after a successful retry as a turn", async () => {
  const { messages, heard } = session();
  await heard.started("s");
  for (const status of ["busy", "retry", "busy", "idle"]) heard.status("s", status);
  messages.push(user("1"), answer("2"));
  expect(await heard.idle("s")).toBe("turn");
});

test("ignores a step whose tools were refused", async () => {
  const { messages, heard } = session();
  await heard.started("s");
  messages.push(user("1"), answer("2", { ...COMPLETE, finish: "tool-calls" }));
  expect(await heard.idle("s")).toBe("refused");
});

test("finds the loop after a restart, without processing old answers again", async () => {
  const messages = [user("1"), answer("2")];
  const { heard } = session(messages, { mark: 2 });
  expect(await heard.idle("s")).toBe("stray");
  messages.push(user("3"), answer("4"));
  expect(await heard.idle("s")).toBe("turn");
});

test("looks up a session without a loop once and never looks up a session created here", async () => {
  const { heard, questions } = session([user("1"), answer("2")]);
  await heard.idle("s");
  await heard.idle("s");
  expect([questions(), heard.mayLoop("s")]).toEqual([1, false]);
  heard.created("new");
  expect([await heard.idle("new"), questions()]).toEqual(["stray", 1]);
});

test("finds a loop that starts during a lookup", async () => {
  const { messages, heard } = session();
  const lookup = heard.find("s");
  await heard.started("s");
  await lookup;
  messages.push(user("1"), answer("2"));
  expect(await heard.idle("s")).toBe("turn");
});
