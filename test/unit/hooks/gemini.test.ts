import { describe, expect, it } from "vitest";
import { hookSession } from "../../support/hook-session.ts";

const PROMISE = "<promise>DONE</promise>";
const TYPED = "/ralph Count to four";

async function started() {
  const session = hookSession("gemini");
  const answer = await session.call("before", { prompt: TYPED });
  /** Gemini CLI always passes the prompt that began the chain, and `stop_hook_active` carries no information. */
  const respond = (response: string, prompt = TYPED) =>
    session.call("after", { prompt, prompt_response: response, stop_hook_active: false });
  return { ...session, answer, respond };
}

describe("Gemini CLI's hooks", () => {
  it("start a loop, with its prompt for the model", async () => {
    const { answer } = await started();
    expect(answer).toEqual({
      hookSpecificOutput: {
        hookEventName: "BeforeAgent",
        additionalContext: expect.stringContaining("# The task\nCount to four"),
      },
      systemMessage: expect.stringContaining("Ralph loop started"),
    });
  });

  it("continue by denying until the promise", async () => {
    const { respond, run } = await started();
    expect(await respond("One.")).toEqual({
      decision: "deny",
      reason: expect.stringContaining("[Converge: iteration 2 of at most 100]"),
      systemMessage: "Ralph loop. Iteration 2 of 100",
    });
    expect(await respond(`One.\nTwo.\n${PROMISE}`)).toEqual({
      systemMessage: expect.stringContaining("Ralph loop complete. 2 iterations"),
    });
    expect((await run())?.ended?.outcome).toBe("converged");
  });

  it("read only the new part of each response", async () => {
    const { respond, run } = await started();
    const other = "One.\n<promise>OTHER</promise>";
    await respond(other);
    await respond(`${other}\nTwo.\n\nThree.`);
    await respond(`${other}\nTwo.\n\nThree.\nFour 😀.`);
    await respond(`${other}\nTwo.\n\nThree.\nFour 😀.\nFive.`);
    const messages = (await run())?.iterations.flatMap(({ agent }) => agent?.message ?? []);
    expect(messages).toEqual([other, "Two.\n\nThree.", "Four 😀.", "Five."]);
  });

  it("do not count a rejected promise again", async () => {
    const session = hookSession("gemini");
    await session.call("before", { prompt: '/ralph Count --gate "test -e no-such-file"' });
    const respond = (response: string) => session.call("after", { prompt: "x", prompt_response: response });
    expect(await respond(PROMISE)).toHaveProperty("decision", "deny");
    expect((await respond(`${PROMISE}\nI go on.`)).reason).toContain("[Converge: iteration 3");
    expect((await session.run())?.iterations[1]?.agent?.message).toBe("I go on.");
  });

  it("read the whole response to a new prompt, even a longer or an equal one", async () => {
    const { respond, run } = await started();
    await respond("One, and this is long.");
    await respond("Two.", "go on");
    await respond("One, and this is long, but another one.", "go on, please");
    await respond("One, and this is long, but another one.", "again");
    const messages = (await run())?.iterations.flatMap(({ agent }) => agent?.message ?? []);
    const other = "One, and this is long, but another one.";
    expect(messages).toEqual(["One, and this is long.", "Two.", other, other]);
  });

  it.each([
    ["no response", "[no response text]"],
    ["the same response as before", "One."],
    ["blanks only", "One.\n \n"],
  ])("end the loop when a turn adds nothing: %s", async (_name, response) => {
    const { respond, run } = await started();
    await respond("One.");
    const answer = await respond(response);
    expect(answer).not.toHaveProperty("decision");
    expect(answer.systemMessage).toMatch(/^Ralph loop cancelled\. Stopped in iteration 2: .*interrupted/);
    expect((await run())?.ended).toMatchObject({
      outcome: "stopped",
      reason: expect.stringContaining("without output"),
    });
    // A repeated hook call without a model request does not continue the loop.
    expect(await respond(response)).toEqual({});
  });

  it("do not treat our own prompt as a command", async () => {
    const session = hookSession("gemini");
    await session.call("before", { prompt: "/ralph first\n/ralph second" });
    const { reason = "" } = await session.call("after", { prompt: "x", prompt_response: "One." });
    const before = await session.run();
    expect(await session.call("before", { prompt: reason })).toEqual({});
    expect((await session.run())?.id).toBe(before?.id);
    expect((await session.run())?.iterations).toHaveLength(2);
  });

  it("accept an escaped promise tag", async () => {
    const { respond } = await started();
    expect(await respond("Done.\n&lt;promise&gt;DONE&lt;/promise&gt;")).not.toHaveProperty("decision");
  });

  it("answer commands without the model", async () => {
    const { call } = await started();
    const status = await call("before", { prompt: "/ralph-status " });
    expect(status).toEqual({ decision: "deny", reason: expect.stringContaining("Iteration 1 of 100") });
    const cancelled = await call("before", { prompt: "/cancel-ralph " });
    expect(cancelled).toEqual({ decision: "deny", reason: expect.stringContaining("Ralph loop cancelled") });
    expect(await call("before", { prompt: "/ralph " })).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("no task given"),
    });
  });

  it("end the loop of a cleared session and keep the loop of an exited one", async () => {
    const { call, run } = await started();
    await call("end", { reason: "exit" });
    expect((await run())?.ended).toBeUndefined();
    await call("end", { reason: "clear" });
    expect((await run())?.ended?.reason).toContain("cleared");
  });
});
