// Reads the last turn of a session from Claude Code's transcript.
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readTurn } from "#hooks/claude-transcript";
import { asked, asText, called, type Line, printed, said } from "../../support/claude-hook.ts";
import { temporary } from "../../support/folders.ts";

const PROMISE = "<promise>DONE</promise>";
const BEGAN = "2026-01-01T12:00:00.000Z";
const EARLIER = { timestamp: "2026-01-01T11:59:59.999Z" };

function transcript(lines: readonly Line[] = []) {
  const file = `${temporary()}/session.jsonl`;
  if (lines.length > 0) fs.writeFileSync(file, asText(lines));
  const read = (last?: string) =>
    readTurn(
      { session_id: "s", transcript_path: file, ...(last !== undefined && { last_assistant_message: last }) },
      BEGAN,
    );
  return { file, read };
}

describe("the last turn", () => {
  it("joins all its texts without repeating the last one", async () => {
    const { read } = transcript([
      asked("Go."),
      said("First."),
      called("msg_First."),
      printed("x"),
      said("Last."),
    ]);
    expect((await read("Last.")).message).toBe("First.\n\nLast.");
    expect((await read()).message).toBe("First.\n\nLast.");
  });

  it("contains a promise in an earlier text", async () => {
    const { read } = transcript([
      asked("Go."),
      said(PROMISE),
      called("a"),
      printed("x"),
      said("I tidied up."),
    ]);
    expect((await read("I tidied up.")).message).toContain(PROMISE);
  });

  it.each<[string, readonly Line[]]>([
    ["tool output", [asked("Go."), called("a"), printed(PROMISE), said("End.")]],
    [
      "the user's prompt",
      [asked(`Say ${PROMISE}`), asked([{ type: "text", text: PROMISE }], { isMeta: true }), said("End.")],
    ],
    [
      "our own prompt",
      [said("x"), asked(`Stop hook feedback:\nend with ${PROMISE}`, { isMeta: true }), said("End.")],
    ],
    [
      "the previous turn",
      [asked("Go."), said(PROMISE), asked("Stop hook feedback:\nno", { isMeta: true }), said("End.")],
    ],
    ["a subagent", [asked("Go."), said(PROMISE, { isSidechain: true }), said("End.")]],
    [
      "Claude Code itself",
      [
        asked("Go."),
        { type: "system", content: PROMISE, message: { content: [{ type: "text", text: PROMISE }] } },
        said("End."),
      ],
    ],
    [
      "a failed answer",
      [
        asked("Go."),
        { type: "assistant", message: { model: "<synthetic>", content: [{ type: "text", text: PROMISE }] } },
        said("End."),
      ],
    ],
    [
      "thoughts",
      [
        asked("Go."),
        { type: "assistant", message: { content: [{ type: "thinking", thinking: PROMISE }] } },
        said("End."),
      ],
    ],
    [
      "the time before the loop, when its prompt is not in the file yet",
      [asked("Hello."), said(PROMISE, EARLIER)],
    ],
  ])("ignores a promise in %s", async (_, lines) => {
    expect((await transcript(lines).read("End.")).message).toBe("End.");
  });

  it("has the last message even when the transcript lags behind", async () => {
    expect((await transcript().read("End.")).message).toBe("End.");
    expect((await transcript([asked("Go."), said("First.")]).read("End.")).message).toBe("First.\n\nEnd.");
    const { file, read } = transcript([asked("Go."), said("First.")]);
    fs.appendFileSync(file, JSON.stringify(said("End.")).slice(0, 40));
    expect((await read("End.")).message).toBe("First.\n\nEnd.");
  });

  it("waits for the transcript when the hook has no last message", async () => {
    const { file, read } = transcript();
    const reading = read();
    await sleep(60);
    const text = asText([asked("Go."), said("First."), called("a"), printed("x"), said("End.")]);
    const half = text.length - 60;
    fs.writeFileSync(file, text.slice(0, half));
    await sleep(60);
    fs.appendFileSync(file, text.slice(half));
    expect((await reading).message).toBe("First.\n\nEnd.");
  });

  it("is empty when no entry arrives or the file is missing", async () => {
    expect((await transcript().read()).message).toBe("");
    expect((await transcript([asked("Go.")]).read()).message).toBe("");
    expect(await readTurn({ session_id: "s", transcript_path: null }, BEGAN)).toEqual({ message: "" });
    expect((await readTurn({ session_id: "s", transcript_path: temporary() }, BEGAN)).message).toBe("");
  });

  it("sums the usage of each answer once, for this turn only", async () => {
    const { read } = transcript([
      asked("Before."),
      said("Old."),
      asked("Go."),
      said("First.", {}, "msg_1"),
      said("Still the first.", {}, "msg_1"),
      printed("x"),
      said("End.", {}, "msg_2"),
    ]);
    expect(await read("End.")).toEqual({
      message: "First.\n\nStill the first.\n\nEnd.",
      model: "claude-sonnet-4-5",
      usage: { inputTokens: 2_020, outputTokens: 40, cachedTokens: 14 },
    });
  });

  it("skips invalid lines", async () => {
    const odd = [
      "{",
      "null",
      "7",
      '"text"',
      "[]",
      '{"type":"assistant"}',
      '{"type":"assistant","message":null}',
      '{"type":"assistant","message":"x"}',
      '{"type":"assistant","message":{"content":[null,7,{"type":"text"},{"type":"text","text":7}],"usage":"much"}}',
      '{"type":"assistant","timestamp":7,"message":{"id":7,"content":[],"usage":{"input_tokens":-1,"output_tokens":"x"}}}',
      "[".repeat(100_000),
    ];
    const { read } = transcript([asked("Go."), said("First."), ...odd, said("End.")]);
    const turn = await read("End.");
    expect(turn.message).toBe("First.\n\nEnd.");
    expect(turn.usage).toMatchObject({ inputTokens: 2_020, outputTokens: 40 });
  });

  it("reads the end of a long file", async () => {
    const { read } = transcript([asked("Go."), said("First."), printed("x".repeat(5_000_000)), said("End.")]);
    expect((await read("End.")).message).toBe("End.");
  });
});
