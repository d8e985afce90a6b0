import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { sessionLoop } from "#hooks/session-loop";
import { tell } from "#runs/tell";
import type { SessionLoop } from "#spec/session";
import { write } from "../../support/folders.ts";
import { DONE, sessionHost } from "../../support/session-host.ts";
import { waitFor } from "../../support/wait.ts";

const TASK = "Count $& to {{three}}:\n---\nname: `x`\n---\n\\ \"two\" '$HOME' <promise>x</promise>";

/** A promise that resolves when released. */
function holdTurns() {
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { gate, letGo };
}

describe("the session loop hook", () => {
  it("starts, shows and cancels the loop of a session, with toasts", async () => {
    const host = sessionHost();
    expect(await host.hook.getState("one")).toBeNull();
    expect(await host.hook.cancelLoop("one")).toBe(false);
    expect(
      await host.ralph(TASK, { maxIterations: 5, completionPromise: "ALL OK", description: "count" }),
    ).toBe(true);
    const state = await host.hook.getState("one");
    expect(state).toMatchObject({
      active: true,
      iteration: 1,
      maxIterations: 5,
      completionPromise: "ALL OK",
      prompt: TASK,
      sessionId: "one",
      description: "count",
    });
    expect([await host.hook.getState(), await host.hook.getState("two")]).toEqual([state, null]);
    expect([await host.hook.isLoopActive("one"), await host.hook.isLoopActive("two")]).toEqual([true, false]);
    expect(await host.hook.cancelLoop("one", "enough")).toBe(true);
    expect([await host.hook.isLoopActive("one"), await host.hook.getState()]).toEqual([false, null]);
    expect(host.titles()).toEqual(["Ralph loop started", "Ralph loop cancelled"]);
    expect(host.said()).toContain("At most 5 iterations; ends with <promise>ALL OK</promise>");
    expect(host.said()).toContain("Stopped in iteration 1: enough");
    await host.turn("Working.");
    expect(host.injected).toEqual([]);
    expect(host.warnings).toEqual([]);
  });

  it("does nothing when disabled", async () => {
    const host = sessionHost({ config: { enabled: false } });
    expect(await host.ralph(TASK)).toBe(false);
    await host.turn("x");
    expect([host.toasts, host.injected, await host.app.store.runs()]).toEqual([[], [], []]);
  });

  it("handles its events, and ignores others", async () => {
    const host = sessionHost();
    expect(host.hook.events).toEqual(["session.idle", "session.error", "session.deleted"]);
    for (const event of ["session.created", "constructor", "__proto__"]) await host.fire(event);
    expect(host.toasts).toEqual([]);
  });
});

describe("the promise", () => {
  const NOT_DONE = [
    "DONE. Everything is DONE.\n\nDONE",
    `I must not output ${DONE} yet.`,
    `${DONE}\n\nWait, one test fails.\n\n<promise>NOT YET</promise>`,
    `The instruction says:\n\n\`\`\`\n${DONE}\n\`\`\`\n`,
    "<promise>DONE",
    "<promise>DONEE</promise>",
  ];

  it("is not detected in any other text", async () => {
    const host = sessionHost();
    // From before the loop.
    host
      .of("one")
      .push({ role: "user", content: "Earlier." }, { role: "assistant", content: `Done.\n\n${DONE}` });
    await host.ralph("Count.");
    for (const [index, message] of NOT_DONE.entries()) {
      await host.turn(message);
      expect([message, await host.iteration()]).toEqual([message, index + 2]);
    }
    // Text of a person or a tool is not the assistant's; neither is the echoed prompt.
    await host.turn([{ role: "user", content: DONE }, { role: "tool", content: DONE }, "I read a file."]);
    await host.turn([{ role: "system", content: DONE }, { content: DONE }, { role: "assistant" }, "More."]);
    await host.turn((await host.hook.getState("one"))?.words ?? "");
    expect(await host.iteration()).toBe(NOT_DONE.length + 4);
    // The last tag counts, in any spelling.
    await host.turn(["<promise>NOT YET</promise>", "Now it is:\n\n<Promise>\n  done \n</PROMISE>"]);
    expect(await host.hook.getState("one")).toBeNull();
    expect(host.toasts.at(-1)).toMatchObject({ title: "Ralph loop complete", variant: "success" });
    expect(host.injected).toHaveLength(NOT_DONE.length + 3);
  });

  it("may be any text and is not a regular expression", async () => {
    const host = sessionHost();
    await host.ralph("Count.", { completionPromise: "a.* (b) [c] $1 \\d+" });
    await host.turn("<promise>axx b c $1 5</promise>");
    expect(await host.iteration()).toBe(2);
    await host.turn("<promise>A.* (b)  [c] $1 \\d+</promise>");
    expect(await host.hook.isLoopActive("one")).toBe(false);
  });
});

describe("the prompt of the next iteration", () => {
  it("contains iteration, limit, promise and the task byte for byte", async () => {
    const host = sessionHost();
    await host.ralph(TASK, { maxIterations: 3 });
    await host.turn("One.");
    const [[session, words = ""] = []] = host.injected;
    expect(session).toBe("one");
    expect(words).toContain(TASK);
    expect(words).toContain("iteration 2 of at most 3");
    expect(words).toContain(DONE);
  });
});

describe("the state of a session loop", () => {
  it("is per session, and survives a restart of the host", async () => {
    const host = sessionHost();
    await host.ralph("First.");
    await host.ralph("Second.", { maxIterations: 7 }, "two");
    await host.turn(["Hm."], "three");
    await host.turn(`Done.\n\n${DONE}`, "two");
    expect([await host.iteration("one"), await host.iteration("two"), host.injected]).toEqual([
      1,
      undefined,
      [],
    ]);
    await host.turn("One.");
    host.restart();
    expect(await host.iteration()).toBe(2);
    await host.turn("Two.");
    expect(host.injected.map(([session, words]) => [session, /iteration \d/.exec(words)?.[0]])).toEqual([
      ["one", "iteration 2"],
      ["one", "iteration 3"],
    ]);
  });

  it("is cleared for missing sessions, but not for those that may exist or are in another folder", async () => {
    const there: Record<string, boolean> = { kept: true };
    const host = sessionHost({
      checkSessionExists: (session) => {
        if (session === "unknown") throw new Error("offline");
        return Promise.resolve(there[session] ?? false);
      },
    });
    for (const session of ["kept", "unknown", "gone"]) await host.ralph("Count.", {}, session);
    const elsewhere = fs.mkdtempSync(path.join(host.files, "..", "elsewhere-"));
    await host.keeper().start({ host: "test", session: "far" }, { prompt: "Count.", dir: elsewhere });
    await host.idle("another");
    const left = await host.keeper().list("test");
    expect(left.map(({ session }) => session).sort()).toEqual(["far", "kept", "unknown"]);
    expect(host.toasts.at(-1)?.message).toContain("its session is gone");
  });

  it("is deleted with its session", async () => {
    const host = sessionHost();
    await host.ralph("Count.");
    await host.ralph("Count.", {}, "two");
    await host.fire("session.deleted", { sessionId: "two" }, "");
    expect(await host.hook.isLoopActive("two")).toBe(false);
    await host.fire("session.deleted");
    expect(await host.hook.isLoopActive("one")).toBe(false);
    expect(host.said()).toContain("the session was deleted");
  });

  it("is moved aside and reported when unreadable, and blocks nothing", async () => {
    const host = sessionHost();
    await host.ralph("Count.");
    const [file = ""] = fs.readdirSync(host.app.home.sessions);
    fs.writeFileSync(path.join(host.app.home.sessions, file), '{"host": "te');
    await host.turn(DONE);
    expect(host.injected).toEqual([]);
    expect(host.warnings.join()).toMatch(/could not be read \(it is not JSON\); it is set aside as/);
    expect(await host.ralph("Again.")).toBe(true);
  });
});

describe("error handling", () => {
  it.each(["MessageAbortedError", "AbortError"])(
    "%s clears the loop and the pending prompt",
    async (name) => {
      const host = sessionHost({ config: { continuationDelay: 100 } });
      await host.ralph("Count.");
      const turn = host.turn("One.");
      await waitFor(() => host.titles().includes("Ralph loop"));
      await host.error(name, "Aborted");
      await turn;
      await host.idle();
      expect([host.injected, await host.hook.isLoopActive("one")]).toEqual([[], false]);
      expect(host.titles()).toEqual(["Ralph loop started", "Ralph loop", "Ralph loop cancelled"]);
    },
  );

  it("uses up no iteration for another error and the idle events after it, then continues", async () => {
    const host = sessionHost({ keeper: { retryMs: 400 } });
    await host.ralph("Count.");
    host.of("one").push({ role: "assistant", content: "I began.\n\n<promise>DONE</promise>" });
    // Sent without waiting in between, as opencode does.
    const error = host.error("APIError", "Incorrect API key");
    await Promise.all([error, host.idle()]);
    await host.idle();
    expect([await host.iteration(), host.injected]).toEqual([1, []]);
    expect(host.toasts.at(-1)).toMatchObject({ title: "Ralph loop waits", variant: "warning" });
    expect(host.said()).toContain("Incorrect API key");
    await waitFor(() => host.injected.length > 0);
    expect(host.injected[0]?.[1]).toContain("iteration 1 of");
    // The output of the failed turn does not count.
    await host.turn("Now I count.");
    expect(await host.iteration()).toBe(2);
  });

  it("processes a user's turn during the retry delay, and prompts only once", async () => {
    const host = sessionHost({ keeper: { retryMs: 60_000 } });
    await host.ralph("Count.");
    await host.error("APIError", "overloaded");
    await host.idle();
    host.of("one").push({ role: "user", content: "Go on, please." });
    await host.turn("I went on.");
    expect([await host.iteration(), host.injected.length]).toEqual([2, 1]);
  });

  it("does not interrupt a user's turn when the retry delay is over", async () => {
    const host = sessionHost({ keeper: { retryMs: 500 } });
    await host.ralph("Count.");
    await host.error("APIError", "overloaded");
    host.of("one").push({ role: "user", content: "Go on, please." });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(host.injected).toEqual([]);
    await host.turn("I went on.");
    expect([await host.iteration(), host.injected.length]).toEqual([2, 1]);
  });

  it("continues after an error when the conversation could not be read", async () => {
    let down = false;
    const host = sessionHost({
      getMessages: async (session) => {
        if (down) throw new Error("no connection");
        return host.of(session);
      },
    });
    await host.ralph("Count.");
    down = true;
    await host.error("APIError", "overloaded");
    down = false;
    await waitFor(() => host.injected.length > 0);
    await host.turn("One.");
    expect(await host.iteration()).toBe(2);
  });

  it("retries a failed prompt without using up an iteration", async () => {
    let faults = 2;
    const host = sessionHost({
      injectPrompt: async (session, words) => {
        host.of(session).push({ role: "user", content: words });
        if (faults-- > 0) throw new Error("connection refused");
        host.injected.push([session, words]);
      },
    });
    await host.ralph("Count.");
    await host.turn("One.");
    await waitFor(() => host.injected.length > 0);
    expect(host.injected[0]?.[1]).toContain("iteration 2 of");
    expect(host.said().match(/could not be told to go on: connection refused/g)).toHaveLength(2);
    await host.turn(DONE);
    expect(host.titles().at(-1)).toBe("Ralph loop complete");
  });

  it("gives up after too many errors", async () => {
    const host = sessionHost({ keeper: { retryMs: 1 } });
    await host.ralph("Count.");
    for (let errors = 0; errors < 30 && (await host.hook.isLoopActive("one")); errors++) {
      await host.error("APIError", "no such model");
      await waitFor(() => !host.titles().at(-1)?.includes("waits") || host.injected.length > errors);
    }
    expect(host.toasts.at(-1)).toMatchObject({
      title: "Ralph loop stopped",
      message: expect.stringContaining("no such model"),
    });
  });

  it("continues once for concurrent and late idle events", async () => {
    const host = sessionHost();
    expect(await host.hook.startLoop("one", "Count.")).toBe(true);
    // The conversation does not contain the new prompt yet.
    await host.idle();
    host.of("one").push({ role: "assistant", content: "One." });
    await Promise.all([host.idle(), host.idle(), host.idle()]);
    host.of("one").pop();
    await host.idle();
    expect([host.injected.length, await host.iteration()]).toEqual([1, 2]);
  });

  it("treats a second idle event without news as a turn without output, which ends the loop", async () => {
    const host = sessionHost({ injectPrompt: async () => {} });
    await host.hook.startLoop("one", "Count.");
    host.of("one").push({ role: "assistant", content: "One." });
    for (let times = 0; times < 3; times++) await host.idle();
    expect(host.said()).toContain("no output");
    expect(await host.hook.isLoopActive("one")).toBe(false);
  });

  it("continues with a host whose injectPrompt lasts as long as the turn", async () => {
    const host = sessionHost({
      injectPrompt: async (session, words) => {
        host.injected.push([session, words]);
        host.of(session).push({ role: "user", content: words });
        await host.turn(host.injected.length < 3 ? "More." : DONE, session);
      },
    });
    await host.ralph("Count.");
    await host.turn("One.");
    expect([host.injected.length, host.titles().at(-1)]).toEqual([3, "Ralph loop complete"]);
  });

  it("ends with a host that has no conversation, because there is no output", async () => {
    const host = sessionHost();
    const hook = sessionLoop({
      sessions: host.keeper(),
      workdir: host.dir,
      showToast: (toast) => void host.toasts.push(toast),
    });
    await hook.startLoop("one", "Count.");
    await hook.handler({ event: "session.idle", sessionId: "one" });
    expect(host.said()).toContain("no output");
  });

  it("ends when a turn has no output", async () => {
    const host = sessionHost();
    await host.ralph("Count.");
    await host.turn({ role: "assistant", content: " \n" });
    expect(host.toasts.at(-1)).toMatchObject({ title: "Ralph loop stopped", variant: "warning" });
    expect([host.said(), host.injected]).toEqual([expect.stringContaining("no output"), []]);
  });

  it("sends no prompt after a cancel, even while gates run", async () => {
    const host = sessionHost();
    await host.ralph("Count.", { gates: ["echo $$ > ../gate; exec sleep 60"] });
    const turn = host.turn(DONE);
    await waitFor(() => fs.existsSync(path.join(host.dir, "..", "gate")));
    expect(await host.hook.cancelLoop("one")).toBe(true);
    await turn;
    expect(host.injected).toEqual([]);
    expect(host.titles()).toEqual(["Ralph loop started", "Ralph loop cancelled"]);
  });

  it("sends no prompt while a cancel is in progress", async () => {
    const { gate, letGo } = holdTurns();
    const host = sessionHost({
      config: { continuationDelay: 50 },
      between: (keeper) => ({ ...keeper, cancel: (...args) => gate.then(() => keeper.cancel(...args)) }),
    });
    await host.ralph("Count.");
    const turn = host.turn("One.");
    await waitFor(() => host.titles().includes("Ralph loop"));
    const cancelled = host.hook.cancelLoop("one");
    await turn;
    expect(host.injected).toEqual([]);
    letGo();
    expect(await cancelled).toBe(true);
  });

  it("reports once that the run was ended elsewhere", async () => {
    const host = sessionHost();
    await host.ralph("Count.");
    const { run = "" } = (await host.hook.getState("one")) ?? {};
    await tell(host.app, { id: run, command: { type: "stop", reason: "enough of this" } });
    expect(await host.hook.isLoopActive("one")).toBe(false);
    await host.turn("One.");
    await host.turn("Two.");
    expect(host.titles()).toEqual(["Ralph loop started", "Ralph loop stopped"]);
    expect(host.said()).toContain("enough of this");
    expect(host.injected).toEqual([]);
  });
});

describe("limits and toasts", () => {
  it("stops at the last iteration, with a toast for each step", async () => {
    const host = sessionHost({ config: { defaultMaxIterations: 2, defaultCompletionPromise: "YES" } });
    await host.ralph("Count.");
    await host.turn("One.");
    await host.turn("Two.");
    expect(host.said().replaceAll(/[a-z0-9]{8}$/gm, "ID")).toBe(
      [
        "Ralph loop started: At most 2 iterations; ends with <promise>YES</promise>. Run ID",
        "Ralph loop: Iteration 2 of 2",
        "Ralph loop stopped: all 2 iterations are used. Run ID",
      ].join("\n"),
    );
    expect(host.injected).toHaveLength(1);
  });

  it("has a default limit of 100, and reports invalid options", async () => {
    const host = sessionHost();
    await host.ralph("Count.");
    expect(await host.hook.getState("one")).toMatchObject({ maxIterations: 100, completionPromise: "DONE" });
    const { run } = (await host.hook.getState("one")) ?? {};
    expect(await host.ralph("Count.", { maxIterations: 0 })).toBe(false);
    expect(host.toasts.at(-1)).toMatchObject({
      variant: "error",
      message: expect.stringContaining("iterations"),
    });
    expect((await host.hook.getState("one"))?.run).toBe(run);
  });
});

describe("gates", () => {
  it("reject the promise until they pass", async () => {
    const host = sessionHost();
    await host.ralph("Count.", { gates: ["test -e counted"] });
    expect(host.toasts[0]?.message).toContain("and test -e counted must pass");
    await host.turn(DONE);
    expect(host.injected[0]?.[1]).toContain("test -e counted");
    write(host.dir, { counted: "" });
    await host.turn(DONE);
    expect(host.titles().at(-1)).toBe("Ralph loop complete");
  });
});

describe("an internal error of a session loop", () => {
  it("of sessions, host or toast is never thrown, and is shown", async () => {
    const fault = { now: "" };
    const faulty =
      <Args extends unknown[], T>(name: string, call: (...args: Args) => Promise<T>) =>
      (...args: Args): Promise<T> =>
        fault.now === name ? Promise.reject(new Error(`${name} is broken`)) : call(...args);
    const host = sessionHost({
      checkSessionExists: async () => true,
      getMessages: (session) => faulty("getMessages", async () => host.of(session))(),
      showToast: (toast) => {
        host.toasts.push(toast);
        return fault.now === "" ? undefined : Promise.reject(new Error("no screen"));
      },
      between: (keeper) => ({
        start: faulty("start", keeper.start),
        find: faulty("find", keeper.find),
        turn: faulty("turn", keeper.turn),
        cancel: faulty("cancel", keeper.cancel),
        list: faulty("list", keeper.list),
      }),
    });
    const takeToasts = () => host.toasts.splice(0).map(({ message, variant }) => `${variant}: ${message}`);
    fault.now = "start";
    expect(await host.ralph("Count.")).toBe(false);
    expect(takeToasts()).toEqual(["error: no loop was started: start is broken"]);
    fault.now = "";
    await host.ralph("Count.");
    host.of("one").push({ role: "assistant", content: "One." });
    takeToasts();
    for (const name of ["find", "turn", "getMessages"]) {
      fault.now = name;
      await host.idle();
      expect(takeToasts()).toEqual([`error: ${name} is broken; the session was left alone`]);
    }
    fault.now = "list";
    await host.idle("two");
    expect(await host.hook.getState()).toBeNull();
    fault.now = "find";
    expect([await host.hook.getState("one"), await host.hook.isLoopActive("one")]).toEqual([null, false]);
    await host.error("APIError", "x");
    fault.now = "cancel";
    expect(await host.hook.cancelLoop("one")).toBe(false);
    await host.fire("session.deleted");
    await host.fire("session.deleted", { sessionId: 5 });
    await host.error("AbortError");
    expect(takeToasts()).toHaveLength(9);
    // Nothing was lost.
    fault.now = "";
    await host.idle();
    expect([await host.iteration(), host.injected.length]).toEqual([2, 1]);
  });

  it("of the state folder is shown, and leaves no lock", async () => {
    const host = sessionHost();
    fs.writeFileSync(host.app.home.sessions, "a file where a folder should be");
    expect(await host.ralph("Count.")).toBe(false);
    expect(host.said()).toMatch(/no loop was started: .*sessions/);
    fs.rmSync(host.app.home.sessions);
    expect(await host.ralph("Count.")).toBe(true);
    const runs = await host.app.store.runs();
    expect(runs.map(({ id }) => id)).toHaveLength(2);
  });

  it.each([undefined, null, "x", 5, { error: null }, { error: "x" }, { error: { name: 7, data: 3 } }])(
    "handles an error event with %j like any other error",
    async (data) => {
      const loop = { run: "r", iteration: 1, session: "one", mark: 0 } as SessionLoop;
      const heard: (string | undefined)[] = [];
      const host = sessionHost({
        between: (keeper) => ({
          ...keeper,
          find: async () => loop,
          turn: async (_key, { error }) => {
            heard.push(error);
            return { type: "none" };
          },
        }),
      });
      await host.fire("session.error", data);
      expect([heard, host.toasts]).toEqual([["an unnamed error"], []]);
    },
  );
});
