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

interface CallOptions extends Partial<EndpointOptions> {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

async function noteFrom(url: string, { timeoutMs = 20_000, signal, ...options }: CallOptions = {}) {
  const memory = summarized({ by: endpoint({ url, model: "small", ...options }), timeoutMs });
  const { dir, files } = folders();
  const run = { ...exampleRun([{ message: "I mended it." }]), id: uniqueRun() };
  const request = { run, iteration: 1, dir, files };
  const note = (await memory.note?.(request, signal ?? new AbortController().signal)) as Note;
  const log = path.join(files, "stdout.log");
  return { note, kept: fs.existsSync(log) ? fs.readFileSync(log, "utf8") : "" };
}

async function noteFromReply(reply: Reply, options?: CallOptions) {
  const server = await completionsServer(reply);
  return { ...(await noteFrom(server.url, options)), server };
}

memoryConformance(
  "summarized by an endpoint",
  {
    make: async () => {
      const { url } = await completionsServer({ says: `\u001b[31m${"long ".repeat(2_000)}` });
      return summarized({ by: endpoint({ url, model: "small" }) });
    },
    notes: {
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
  },
  { describe, it, expect },
);

describe("an endpoint as summarizer", () => {
  it("gets one request with model and prompt, and the note has its answer and usage", async () => {
    setEnv("OPENAI_API_KEY", KEY);
    const usage = {
      prompt_tokens: 90,
      completion_tokens: 10,
      prompt_tokens_details: { cached_tokens: 40 },
    };
    const { note, kept, server } = await noteFromReply({ says: " It was mended.\n", usage });
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

  it("accepts a full URL and keeps its query", async () => {
    const { url, asked } = await completionsServer({ says: "well" });
    expect((await noteFrom(`${url}/chat/completions/?version=2`)).note.text).toBe("well");
    expect(asked[0]?.path).toBe("/v1/chat/completions?version=2");
  });

  it("gets the key from keyEnv, or none", async () => {
    setEnv("OPENAI_API_KEY", undefined);
    setEnv("MY_KEY", `${KEY}\n`);
    expect((await noteFromReply({ says: "well" })).server.asked[0]?.authorization).toBeUndefined();
    const named = await noteFromReply({ says: "well" }, { keyEnv: "MY_KEY" });
    expect(named.server.asked[0]?.authorization).toBe(`Bearer ${KEY}`);
  });

  it("is not called when the named key is missing or invalid", async () => {
    setEnv("MY_KEY", undefined);
    const absent = await noteFromReply({ says: "well" }, { keyEnv: "MY_KEY" });
    expect(absent.note.problem).toBe("no key: MY_KEY is not set; set it, or remove keyEnv");
    setEnv("MY_KEY", "two words");
    const bad = await noteFromReply({ says: "well" }, { keyEnv: "MY_KEY" });
    expect(bad.note.problem).toMatch(/^MY_KEY has characters that are not allowed in a key/);
    expect([...absent.server.asked, ...bad.server.asked]).toEqual([]);
  });

  it("cannot leak secrets into stored files", async () => {
    secrets.learn(["SAID_ALOUD"], { SAID_ALOUD: "correct-horse-battery" });
    const { kept } = await noteFromReply({ says: "it is correct-horse-battery" });
    expect(kept).toContain("it is ‹secret SAID_ALOUD›");
  });

  it("cannot leak the key into stored files by echoing it", async () => {
    setEnv("OPENAI_API_KEY", KEY);
    const body = JSON.stringify({ error: { message: `bad key ${KEY}` } });
    const { note, kept } = await noteFromReply({ status: 401, body });
    expect(note.problem).toMatch(/answered HTTP 401: bad key \*\*\*; check the key in OPENAI_API_KEY$/);
    expect(kept).toContain("bad key ***");
    expect(JSON.stringify(note) + kept).not.toContain(KEY);
  });

  it.each<[string, Reply, RegExp]>([
    ["an error", { status: 500, body: '{"error": "too busy"}' }, /answered HTTP 500: too busy$/],
    ["an error page", { status: 503, body: "<h1>no</h1>" }, /answered HTTP 503$/],
    ["a rate limit", { status: 429, body: '{"error": {"message": "slow\\ndown"}}' }, /HTTP 429: slow down$/],
    ["not found", { status: 404, body: "{}" }, /answered HTTP 404; check url and model$/],
    ["a redirect", { status: 307, headers: { location: "/v1/elsewhere" } }, /redirects \(HTTP 307\)/],
    ["no JSON", { body: "well" }, /does not answer like a chat completions endpoint/],
    ["other JSON", { body: '{"choices": []}' }, /does not answer like/],
    ["null", { body: "null" }, /does not answer like/],
    ["null content", { body: '{"choices":[{"message":{"content":null}}]}' }, /does not answer like/],
    ["deep JSON", { body: "[".repeat(200_000) }, /does not answer like/],
    ["a flood", { floods: true }, /is larger than 1048576 bytes/],
    ["nothing", { drops: true }, /request to .+ failed \(.+\); check that it runs/],
    ["blanks", { says: " " }, /gave an empty answer/],
  ])("reports a problem when it answers with %s", async (_, reply, problem) => {
    const { note, server } = await noteFromReply(reply);
    expect(note.text).toBe("");
    expect(note.problem).toMatch(problem);
    expect(server.asked).toHaveLength(1);
  });

  it("reports a problem when it is unreachable", async () => {
    const { url, close } = await completionsServer();
    close();
    expect((await noteFrom(url)).note.problem).toBe(
      `the request to ${new URL(url).host} failed (ECONNREFUSED); check that it runs, and check url`,
    );
  });

  it("reports a problem when it times out or is aborted", async () => {
    const late = await noteFromReply({ hangs: true }, { timeoutMs: 200 });
    expect(late.note.problem).toBe("the summarizer did not answer within 0.2 s");
    const cut = await noteFromReply({ hangs: true }, { signal: AbortSignal.timeout(200) });
    expect(cut.note.problem).toMatch(/was stopped/);
  });

  it("ignores token counts that are not valid numbers", async () => {
    const usage = { prompt_tokens: -5, completion_tokens: 4, prompt_tokens_details: [] };
    expect((await noteFromReply({ says: "well", usage })).note.usage).toEqual({ outputTokens: 4 });
    expect((await noteFromReply({ says: "well", usage: "much" })).note.usage).toEqual({});
  });
});
