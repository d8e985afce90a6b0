import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { summarized } from "#memory/summarized";
import { type EndpointOptions, endpoint } from "#memory/summarizers/endpoint";
import type { Note } from "#spec/note";
import { secrets } from "#system/secrets/secrets";
import { memoryConformance } from "#testing/memory";
import { exampleRun } from "#testing/run";
import { uniqueRun } from "#testing/unique-run";
import { completionsServer, type Reply } from "../../support/completions-server.ts";
import { folders } from "../../support/folders.ts";

const KEY = "sk-0123456789-abc";

function setEnv(name: string, value: string | undefined): void {
  const before = process.env[name];
  const put = (text: string | undefined) => {
    if (text === undefined) delete process.env[name];
    else process.env[name] = text;
  };
  put(value);
  onTestFinished(() => put(before));
}

interface Asking extends Partial<EndpointOptions> {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

async function noteFrom(url: string, { timeoutMs = 20_000, signal, ...options }: Asking = {}) {
  const memory = summarized({ by: endpoint({ url, model: "small", ...options }), timeoutMs });
  const { dir, files } = folders();
  const run = { ...exampleRun([{ message: "I mended it." }]), id: uniqueRun() };
  const request = { run, iteration: 1, dir, files };
  const note = (await memory.note?.(request, signal ?? new AbortController().signal)) as Note;
  const log = path.join(files, "stdout.log");
  return { note, kept: fs.existsSync(log) ? fs.readFileSync(log, "utf8") : "" };
}

async function answeredWith(reply: Reply, asking?: Asking) {
  const server = await completionsServer(reply);
  return { ...(await noteFrom(server.url, asking)), server };
}

memoryConformance(
  "summarized by an endpoint",
  async () => {
    const { url } = await completionsServer({ says: `\u001b[31m${"long ".repeat(2_000)}` });
    return summarized({ by: endpoint({ url, model: "small" }) });
  },
  { describe, it, expect },
  50_000,
  {
    folders,
    fails: async () => {
      const { url } = await completionsServer({ status: 500, body: "\u001b[31m<html>".repeat(10_000) });
      return summarized({ by: endpoint({ url, model: "small" }) });
    },
    hangs: async () => {
      const { url } = await completionsServer({ hangs: true });
      return summarized({ by: endpoint({ url, model: "small" }) });
    },
  },
);

describe("an endpoint that sums up", () => {
  it("is asked once, with model and prompt, and its answer and use are noted", async () => {
    setEnv("OPENAI_API_KEY", KEY);
    const usage = {
      prompt_tokens: 90,
      completion_tokens: 10,
      prompt_tokens_details: { cached_tokens: 40 },
    };
    const { note, kept, server } = await answeredWith({ says: " It was mended.\n", usage });
    expect(note).toEqual({
      text: "It was mended.",
      usage: { inputTokens: 90, outputTokens: 10, cachedTokens: 40 },
    });
    expect(server.asked).toEqual([
      {
        path: "/v1/chat/completions",
        authorization: `Bearer ${KEY}`,
        model: "small",
        prompt: expect.stringContaining("| I mended it."),
      },
    ]);
    expect(kept).toContain("It was mended.");
  });

  it("may be named with its whole address, and its query is kept", async () => {
    const { url, asked } = await completionsServer({ says: "well" });
    expect((await noteFrom(`${url}/chat/completions/?version=2`)).note.text).toBe("well");
    expect(asked[0]?.path).toBe("/v1/chat/completions?version=2");
  });

  it("gets the key that was named, or none when there is none", async () => {
    setEnv("OPENAI_API_KEY", undefined);
    setEnv("MY_KEY", `${KEY}\n`);
    expect((await answeredWith({ says: "well" })).server.asked[0]?.authorization).toBeUndefined();
    const named = await answeredWith({ says: "well" }, { keyEnv: "MY_KEY" });
    expect(named.server.asked[0]?.authorization).toBe(`Bearer ${KEY}`);
  });

  it("is not asked when the key that was named is not there or is none", async () => {
    setEnv("MY_KEY", undefined);
    const absent = await answeredWith({ says: "well" }, { keyEnv: "MY_KEY" });
    expect(absent.note.problem).toBe("there is no key: MY_KEY is not set; set it, or leave out keyEnv");
    setEnv("MY_KEY", "two words");
    const bad = await answeredWith({ says: "well" }, { keyEnv: "MY_KEY" });
    expect(bad.note.problem).toMatch(/^MY_KEY has characters that are in no key/);
    expect([...absent.server.asked, ...bad.server.asked]).toEqual([]);
  });

  it("does not get any secret into what is kept", async () => {
    secrets.learn(["SAID_ALOUD"], { SAID_ALOUD: "correct-horse-battery" });
    const { kept } = await answeredWith({ says: "it is correct-horse-battery" });
    expect(kept).toContain("it is ‹secret SAID_ALOUD›");
  });

  it("does not get the key back into what is kept", async () => {
    setEnv("OPENAI_API_KEY", KEY);
    const body = JSON.stringify({ error: { message: `bad key ${KEY}` } });
    const { note, kept } = await answeredWith({ status: 401, body });
    expect(note.problem).toMatch(/answered HTTP 401: bad key \*\*\*; check the key in OPENAI_API_KEY$/);
    expect(kept).toContain("bad key ***");
    expect(JSON.stringify(note) + kept).not.toContain(KEY);
  });

  it.each<[string, Reply, RegExp]>([
    ["an error", { status: 500, body: '{"error": "too busy"}' }, /answered HTTP 500: too busy$/],
    ["an error page", { status: 503, body: "<h1>no</h1>" }, /answered HTTP 503$/],
    ["a rate limit", { status: 429, body: '{"error": {"message": "slow\\ndown"}}' }, /HTTP 429: slow down$/],
    ["no such thing", { status: 404, body: "{}" }, /answered HTTP 404; check url and model$/],
    ["a redirect", { status: 307, headers: { location: "/v1/elsewhere" } }, /redirects \(HTTP 307\)/],
    ["no JSON", { body: "well" }, /does not answer like a chat completions endpoint/],
    ["other JSON", { body: '{"choices": []}' }, /does not answer like/],
    ["null", { body: "null" }, /does not answer like/],
    ["a text that is none", { body: '{"choices":[{"message":{"content":null}}]}' }, /does not answer like/],
    ["deep JSON", { body: "[".repeat(200_000) }, /does not answer like/],
    ["a flood", { floods: true }, /is larger than 1048576 bytes/],
    ["nothing", { drops: true }, /cannot be asked \(.+\); check that it runs/],
    ["blanks", { says: " " }, /answered with nothing/],
  ])("that answers with %s is a problem", async (_, reply, problem) => {
    const { note, server } = await answeredWith(reply);
    expect(note.text).toBe("");
    expect(note.problem).toMatch(problem);
    expect(server.asked).toHaveLength(1);
  });

  it("that is not there is a problem", async () => {
    const { url, close } = await completionsServer();
    close();
    expect((await noteFrom(url)).note.problem).toBe(
      `${new URL(url).host} cannot be asked (ECONNREFUSED); check that it runs, and url`,
    );
  });

  it("that takes too long, or is cut off, is a problem", async () => {
    const late = await answeredWith({ hangs: true }, { timeoutMs: 200 });
    expect(late.note.problem).toBe("the summarizer did not answer within 0.2 s");
    const cut = await answeredWith({ hangs: true }, { signal: AbortSignal.timeout(200) });
    expect(cut.note.problem).toMatch(/cut off/);
  });

  it("may count as it likes: only numbers that can be are taken", async () => {
    const usage = { prompt_tokens: -5, completion_tokens: 4, prompt_tokens_details: [] };
    expect((await answeredWith({ says: "well", usage })).note.usage).toEqual({ outputTokens: 4 });
    expect((await answeredWith({ says: "well", usage: "much" })).note.usage).toEqual({});
  });
});
