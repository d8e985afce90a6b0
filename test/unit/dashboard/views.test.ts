// Small decisions of the views: expanded files, selected diff and log, stored drafts.
import { describe, expect, it } from "vitest";
import { choiceIn, diffQuery, ofNow } from "../../../dashboard/src/diff/choice.ts";
import { coloured } from "../../../dashboard/src/diff/coloured.ts";
import { languageOf } from "../../../dashboard/src/diff/highlight.ts";
import { openFirst } from "../../../dashboard/src/diff/open-first.ts";
import { type DiffFile, parseDiff } from "../../../dashboard/src/diff/parse.ts";
import { worthColours } from "../../../dashboard/src/diff/use-colours.ts";
import { pick } from "../../../dashboard/src/log/pick.ts";
import { agentName } from "../../../dashboard/src/model/agent-name.ts";
import { BLANK, draftFrom } from "../../../dashboard/src/start/draft.ts";

const fileOf = (name: string, before: readonly string[], after: readonly string[]): DiffFile => {
  const head = `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}`;
  const lines = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  const [file] = parseDiff(`${head}\n@@ -1,${before.length} +1,${after.length} @@\n${lines.join("\n")}\n`);
  if (!file) throw new Error("a diff of one file has one file");
  return file;
};

describe("colours of a diff", () => {
  it("are computed for each side separately and keep the text unchanged", () => {
    const file = fileOf("src/a.ts", ["/* <b>old", "text */ const a = 1;"], ["const b = '<i>';"]);
    const words = coloured(file);
    const lines = file.hunks[0]?.lines ?? [];
    const kinds = lines.map((line) => words.get(line)?.[0]?.kind);
    expect(kinds).toEqual(["hljs-comment", "hljs-comment", "hljs-keyword"]);
    for (const line of lines)
      expect(
        words
          .get(line)
          ?.map(({ text }) => text)
          .join(""),
      ).toBe(line.text);
  });

  it("are left out for unknown languages and very long lines", () => {
    expect(languageOf("a/b.unknown")).toBeUndefined();
    expect(languageOf("Makefile")).toBe("makefile");
    expect(coloured(fileOf("x.unknown", [], ["a"])).size).toBe(0);
    expect(worthColours(fileOf("a.js", [], ["short"]))).toBe(true);
    expect(worthColours(fileOf("a.js", [], ["x".repeat(5000)]))).toBe(false);
  });
});

describe("an opened diff", () => {
  it("expands a few files, and a long file only when it is the only one", () => {
    const lines = (count: number) => Array.from({ length: count }, () => "x");
    const files = [
      fileOf("long", [], lines(5000)),
      ...lines(20).map((_, at) => fileOf(`f${at}`, [], lines(100))),
    ];
    const open = openFirst(files);
    expect(open.has(0)).toBe(false);
    expect(open.size).toBe(5);
    expect(openFirst(files.slice(0, 1)).has(0)).toBe(true);
  });

  it("takes its range from the URL query", () => {
    const of = (text: string) => diffQuery(choiceIn(new URLSearchParams(text)));
    expect(of("")).toBe("");
    expect(of("of=3")).toBe("?from=3");
    expect(of("from=base&to=2")).toBe("?from=base&to=2");
    expect(of("to=now")).toBe("?from=base&to=now");
    expect(ofNow(choiceIn(new URLSearchParams("of=now")))).toBe(true);
    expect(ofNow(choiceIn(new URLSearchParams("of=2")))).toBe(false);
  });
});

describe("the shown log", () => {
  const log = (part: string, stream = "stdout") => ({ part, stream, bytes: 1 });
  const gate = { name: "gate", gate: "tests", since: "" } as const;
  const logs = [log("set-up"), log("agent"), log("agent", "stderr"), log("tests")];

  it("is the selected one, else that of the active part, else the agent's", () => {
    expect(pick(logs, "stderr/agent", gate)).toEqual(log("agent", "stderr"));
    expect(pick(logs, "stdout/gone", gate)).toEqual(log("tests"));
    expect(pick(logs, null)).toEqual(log("agent"));
    expect(pick([log("tests")], null)).toEqual(log("tests"));
    expect(pick([], null, { name: "agent", since: "" })).toBeUndefined();
  });
});

describe("stored values", () => {
  it("fall back when they are invalid", () => {
    expect(draftFrom(JSON.stringify({ task: "prompt: x", dir: "/p" }))).toEqual({
      task: "prompt: x",
      dir: "/p",
    });
    for (const stored of [null, "", "null", "[]", '{"task":1,"dir":"x"}', "{"])
      expect(draftFrom(stored)).toEqual(BLANK);
    expect(agentName('["command","./agent.sh"]')).toBe("command ./agent.sh");
    expect(agentName('["claude",null]')).toBe("claude");
    expect(agentName("not json")).toBe("not json");
  });
});
