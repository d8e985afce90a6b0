// Conformance tests for session loops in a real, headless agent CLI.
import { expect, it } from "vitest";
import type { Turn } from "../support/model-server/script.ts";
import { realSessions, type SessionHost } from "../support/real-session.ts";
import { ofType } from "../support/sandbox.ts";

const PROMISED = "I have counted.\n\n<promise>DONE</promise>";
const LIMITED: Turn = { error: { kind: "rate-limit" } };

export function sessionLoops(host: SessionHost): void {
  const { sign } = host;

  it("continues three times and ends on the promise", async () => {
    const task = "Count `a` $HOME <b> to four";
    const world = await realSessions(host, [
      { say: "I say one." },
      { say: 'Two. I must not say "<promise>DONE</promise>" yet.' },
      { say: "Three.", shell: "echo '<promise>DONE</promise>'" },
      { say: "Nearly." },
      { say: PROMISED },
    ]);
    const reply = await world.say(`${sign}ralph "${task}" --max-iterations=9`);
    expect(reply.code, reply.output).toBe(0);
    const loop = await world.loop();
    expect(loop, reply.output).toMatchObject({ state: "converged", iterations: 4, prompt: task });
    expect(world.requests()).toHaveLength(5);
    const [first, second] = world.requests().map(({ body }) => body);
    expect(first).toContain("[Converge: iteration 1 of at most 9]");
    expect(second).toContain("[Converge: iteration 2 of at most 9]");
    // Each iteration records only its own turn.
    const results = ofType(await world.box.events(), "agent.finished").map(({ result }) => result);
    expect(results.map(({ message }) => message.split("\n")[0])).toEqual([
      "I say one.",
      'Two. I must not say "<promise>DONE</promise>" yet.',
      expect.stringMatching(/^(Three|Nearly)\.$/),
      "I have counted.",
    ]);
    expect(results.every(({ sessionId }) => sessionId === reply.session)).toBe(true);
  });

  it("ends at the last iteration, with project hooks alone", async () => {
    const world = await realSessions(host, [{ say: "One." }, { say: "Two of them." }]);
    world.moveToProject();
    world.trust();
    const reply = await world.say(`${sign}ralph --max-iterations 2 count to four`);
    expect(await world.loop(), reply.output).toMatchObject({ state: "diverged", iterations: 2 });
    expect((await world.loop())?.reason).toContain("all 2 iterations are used");
    expect(world.requests()).toHaveLength(2);
  });

  it("refuses the promise until the gate passes", async () => {
    const world = await realSessions(host, [
      { say: PROMISED },
      { say: "I make it.", shell: "touch counted" },
      // The form in which the model reads the promise when the CLI escapes the prompt.
      { say: "It is there.\n\n&lt;promise&gt;DONE&lt;/promise&gt;" },
    ]);
    const reply = await world.say(`${sign}ralph "Count to four" --gate "test -e counted"`);
    expect(await world.loop(), reply.output).toMatchObject({ state: "converged", iterations: 2 });
    expect(world.box.exists("counted")).toBe(true);
    expect(world.requests()[1]?.body).toContain("What is still wrong");
  });

  it("keeps two sessions in one folder apart", async () => {
    const world = await realSessions(host, (_index, { body }) => {
      const last = body.includes("Count apples") ? 3 : 2;
      return { say: body.includes(`[Converge: iteration ${last} of`) ? PROMISED : `I go on. ${last}` };
    });
    const [apples, pears] = await Promise.all([
      world.say(`${sign}ralph Count apples`),
      world.say(`${sign}ralph Count pears`),
    ]);
    expect(apples?.session).not.toBe(pears?.session);
    const loops = (await world.loops()).map(({ prompt, state, iterations }) => [prompt, state, iterations]);
    expect(loops.sort(), `${apples?.output}${pears?.output}`).toEqual([
      ["Count apples", "converged", 3],
      ["Count pears", "converged", 2],
    ]);
    expect(world.requests()).toHaveLength(5);
  });

  it("continues in the same iteration in a resumed session", async () => {
    const world = await realSessions(host, [{ say: "One." }, LIMITED, { say: "Two." }, { say: PROMISED }]);
    const first = await world.say(`${sign}ralph Count to four`);
    expect(await world.loop(), first.output).toMatchObject({ state: "away", iterations: 2 });
    const second = await world.say("Go on.", first.session);
    expect(second.session).toBe(first.session);
    expect(await world.loop(), second.output).toMatchObject({ state: "converged", iterations: 3 });
    expect(world.requests()).toHaveLength(4);
  });

  it("does not continue once it is cancelled", async () => {
    const world = await realSessions(host, [{ say: "One." }, LIMITED, { say: "Hello." }]);
    const { session } = await world.say(`${sign}ralph Count to four`);
    const cancelled = await world.say(`${sign}cancel-ralph`, session);
    expect(world.requests(), cancelled.output).toHaveLength(2);
    const over = { state: "stopped", reason: expect.stringContaining("cancelled by a person") };
    expect(await world.loop(), cancelled.output).toMatchObject(over);
    const after = await world.say("Hello?", session);
    expect(after.session).toBe(session);
    expect(world.requests(), after.output).toHaveLength(3);
    expect(await world.loop()).toMatchObject({ ...over, iterations: 2 });
  });
}
