// Which idle events of opencode end a turn: told by conversations as opencode keeps them.
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

test("a turn that is over is one, once", async () => {
  const { messages, heard } = session();
  await heard.started("s");
  messages.push(user("1"), answer("2"));
  expect([await heard.idle("s"), await heard.idle("s")]).toEqual(["turn", "stray"]);
  messages.push(user("3"), answer("4"));
  expect(await heard.idle("s")).toBe("turn");
});

test.each<[string, Info]>([
  ["at the first idle after an abort", {}],
  ["after an abort", { time: { completed: 1 }, error: { name: "MessageAbortedError" } }],
  ["after an error of the service", { time: { completed: 1 }, finish: "stop", error: { name: "APIError" } }],
  ["broken off without an error", { time: { completed: 1 } }],
  ["a summary of the conversation", { ...COMPLETE, summary: true }],
])("no turn: %s", async (_, info) => {
  const { messages, heard } = session();
  await heard.started("s");
  messages.push(user("1"), answer("2", info));
  expect(await heard.idle("s")).toBe("stray");
});

test("what had been said before the loop began is no turn of it", async () => {
  const { heard } = session([user("1"), answer("2")]);
  await heard.started("s");
  expect(await heard.idle("s")).toBe("stray");
});

test("an idle while opencode waits to ask again is an abort, once", async () => {
  const { messages, heard } = session();
  await heard.started("s");
  for (const status of ["busy", "retry", "idle"]) heard.status("s", status);
  messages.push(user("1"), answer("2", { time: { completed: 1 } }));
  expect([await heard.idle("s"), await heard.idle("s")]).toEqual(["aborted", "stray"]);
});

test("an idle after a retry that went well is a turn", async () => {
  const { messages, heard } = session();
  await heard.started("s");
  for (const status of ["busy", "retry", "busy", "idle"]) heard.status("s", status);
  messages.push(user("1"), answer("2"));
  expect(await heard.idle("s")).toBe("turn");
});

test("a step whose tools were refused is no turn", async () => {
  const { messages, heard } = session();
  await heard.started("s");
  messages.push(user("1"), answer("2", { ...COMPLETE, finish: "tool-calls" }));
  expect(await heard.idle("s")).toBe("refused");
});

test("after a restart the loop is found, and what was heard before is not heard again", async () => {
  const messages = [user("1"), answer("2")];
  const { heard } = session(messages, { mark: 2 });
  expect(await heard.idle("s")).toBe("stray");
  messages.push(user("3"), answer("4"));
  expect(await heard.idle("s")).toBe("turn");
});

test("a session without a loop is asked about once, one that was made here never", async () => {
  const { heard, questions } = session([user("1"), answer("2")]);
  await heard.idle("s");
  await heard.idle("s");
  expect([questions(), heard.mayLoop("s")]).toEqual([1, false]);
  heard.created("new");
  expect([await heard.idle("new"), questions()]).toEqual(["stray", 1]);
});

test("a loop that is started while somebody asks is not overlooked", async () => {
  const { messages, heard } = session();
  const asking = heard.find("s");
  await heard.started("s");
  await asking;
  messages.push(user("1"), answer("2"));
  expect(await heard.idle("s")).toBe("turn");
});
