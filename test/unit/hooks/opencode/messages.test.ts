// Converts opencode's messages to session messages.
import { expect, test } from "vitest";
import type { Message } from "#hooks/opencode/client";
import { sessionMessage, settingsOf } from "#hooks/opencode/messages";

const assistant = (info: Partial<Message["info"]>, parts: Message["parts"] = []): Message => ({
  info: { id: "a", role: "assistant", ...info },
  parts,
});

test("uses only the message's own text as content", () => {
  const parts = [
    { type: "step-start" },
    { type: "text", text: "I look." },
    { type: "tool", text: "<promise>DONE</promise>" },
    { type: "text", text: "for people only", ignored: true },
    { type: "reasoning", text: "hm" },
    { type: "text", text: "Seen." },
  ];
  expect(sessionMessage(assistant({}, parts))).toEqual({ role: "assistant", content: "I look.\n\nSeen." });
  const summary = assistant({ summary: true }, [{ type: "text", text: "<promise>DONE</promise>" }]);
  expect(sessionMessage(summary).content).toBe("");
});

test("passes on tokens, cost and model, and omits an unknown price", () => {
  const tokens = { input: 10, output: 5, reasoning: 2, cache: { read: 100, write: 20 } };
  const info = { tokens, providerID: "acme", modelID: "large" };
  expect(sessionMessage(assistant({ ...info, cost: 0.5 }))).toMatchObject({
    usage: { inputTokens: 130, outputTokens: 7, cachedTokens: 100, costUsd: 0.5 },
    model: "acme/large",
  });
  expect(sessionMessage(assistant({ ...info, cost: 0 })).usage).not.toHaveProperty("costUsd");
});

test("takes agent, model and variant from the last user message that the model saw", () => {
  const model = { providerID: "acme", modelID: "large", variant: "high" };
  const asked: Message = {
    info: { id: "1", role: "user", agent: "plan", model },
    parts: [{ type: "text", text: "Plan." }],
  };
  const noted: Message = {
    info: { id: "2", role: "user", agent: "build" },
    parts: [{ type: "text", text: "status", ignored: true }],
  };
  expect(settingsOf([asked, assistant({}), noted])).toEqual({
    agent: "plan",
    model: { providerID: "acme", modelID: "large" },
    variant: "high",
  });
  expect(settingsOf([])).toEqual({});
});
