import path from "node:path";
import { fileURLToPath } from "node:url";
import { it } from "vitest";
import { replayFirstDay } from "../support/first-day.ts";

const packages = path.join(fileURLToPath(new URL("../../", import.meta.url)), "node_modules");

const SPLIT = (end: string) => `export function split(text: string, width: number): string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; start += width) lines.push(text.slice(start, start + width)${end});
  return lines;
}

export const isBlank = (text: string): boolean => text.length === 0;
`;

const TESTS = `import { expect, test } from "vitest";
import { isBlank, split } from "../src/split.ts";

test("splits at the width", () => expect(split("aabb", 2)).toEqual(["aa", "bb"]));
test("an empty text is blank", () => expect(isBlank("")).toBe(true));
`;

const NEW_TESTS = `test("trims what it splits", () => expect(split("a b ", 2)).toEqual(["a", "b"]));
test("trims tabs as well", () => expect(split("a\\tb", 2)).toEqual(["a", "b"]));
`;

it("TypeScript with vitest through npm test", () =>
  replayFirstDay({
    gate: "npm test",
    setup: `ln -s "${packages}" node_modules`,
    before: {
      ".gitignore": "node_modules\n",
      "package.json": `${JSON.stringify({ name: "split", type: "module", scripts: { test: "vitest run" } }, null, 2)}\n`,
      "src/split.ts": SPLIT(""),
      "test/split.test.ts": TESTS,
    },
    fix: { "src/split.ts": SPLIT(".trim()"), "test/split.test.ts": TESTS + NEW_TESTS },
    failing: ["trims what it splits", "trims tabs as well"],
  }));
