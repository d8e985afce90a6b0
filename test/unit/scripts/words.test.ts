import { describe, expect, it } from "vitest";

const script = new URL("../../../scripts/words.mjs", import.meta.url);
const { avoidedWords, findAvoided } = await import(script.href);

const GLOSSARY = `
| word | meaning | avoid |
|---|---|---|
| **snapshot** | the tree of the workspace | checkpoint, save point |
| **output** | a file that a gate writes | artifact (classify/maven, docs/java.md) |
| **run** | one execution of a task | |
`;

describe("the words to avoid", () => {
  it("are read from the last column, with the paths where each may stand", () => {
    expect(avoidedWords(GLOSSARY)).toEqual([
      { word: "checkpoint", allowed: [] },
      { word: "save point", allowed: [] },
      { word: "artifact", allowed: ["classify/maven", "docs/java.md"] },
    ]);
  });

  it.each([
    ["in a comment", "// Takes a checkpoint."],
    ["in an identifier", "const lastCheckpoint = tree;"],
    ["in a constant", "const LAST_CHECKPOINT = 1;"],
    ["in the plural", "prints all Checkpoints"],
    ["as two words", 'throw new Error("no save point yet")'],
  ])("are found %s", (_, line) => {
    expect(findAvoided("src/a.ts", `first\n${line}`, avoidedWords(GLOSSARY))).toHaveLength(1);
  });

  it("may stand where they mean something else, and inside longer words", () => {
    const words = avoidedWords(GLOSSARY);
    expect(findAvoided("src/classify/maven.ts", "artifactId", words)).toEqual([]);
    expect(findAvoided("src/a.ts", "checkpointing artifactory", words)).toEqual([]);
  });

  it("are reported with file, line and word", () => {
    expect(findAvoided("src/a.ts", "one\nan artifact", avoidedWords(GLOSSARY))).toEqual([
      "src/a.ts:2: artifact",
    ]);
  });
});
