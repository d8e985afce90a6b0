import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const load = (file: string) => import(pathToFileURL(path.join(root, "bench", "replay", file)).href);

const KINDS = ["wrong", "broken", "skip", "delete", "take-back", "idle", "part"];
const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);

describe("drawing bad iterations", () => {
  it("gives the same order for the same seed and different orders for different seeds", async () => {
    const { drawBadIterations } = await load("draw.mjs");
    const orders = SEEDS.map((seed) => drawBadIterations(seed, KINDS).join(" "));
    expect(SEEDS.map((seed) => drawBadIterations(seed, KINDS).join(" "))).toEqual(orders);
    expect(new Set(orders).size).toBeGreaterThan(150);
  });

  it("draws two to seven iterations, with every length and every kind in the first two places", async () => {
    const { drawBadIterations } = await load("draw.mjs");
    const orders: string[][] = SEEDS.map((seed) => drawBadIterations(seed, KINDS));
    expect([...new Set(orders.map(({ length }) => length))].sort()).toEqual([2, 3, 4, 5, 6, 7]);
    for (const place of [0, 1]) expect(new Set(orders.map((order) => order[place]))).toEqual(new Set(KINDS));
  });

  it("repeats a kind only after every other kind", async () => {
    const { drawBadIterations } = await load("draw.mjs");
    const orders: string[][] = SEEDS.map((seed) => drawBadIterations(seed, ["idle", "skip"]));
    expect(orders.every(([first, second]) => first !== second)).toBe(true);
    expect(orders.some(({ length }) => length === 7)).toBe(true);
  });
});

describe("bad edits", () => {
  it.each([
    ["a.test.ts", 'test("x", () => 1);', 'test.skip("x", () => 1);'],
    [
      "test_a.py",
      "def test_x():\n    pass",
      '@__import__("unittest").skip("later")\ndef test_x():\n    pass',
    ],
    ["a_test.go", "func TestX(t *testing.T) {\n}", 'func TestX(t *testing.T) {\n\tt.Skip("later")\n}'],
    ["tests/a.rs", "#[test]\nfn x() {}", '#[test]\n#[ignore = "later"]\nfn x() {}'],
    ["ATest.java", "  @Test\n", "  @org.junit.jupiter.api.Disabled\n  @Test\n"],
    ["a_spec.rb", "  it 'works' do", "  xit 'works' do"],
    ["check.c", "int main(void)\n{\n", "int main(void)\n{ return 0;\n"],
    ["a_test.cpp", 'TEST_CASE("x", "[y]") {\n', 'TEST_CASE("x", "[.][y]") {\n'],
    [
      "ATest.php",
      "  public function testX(): void\n  {\n",
      '  public function testX(): void\n  { $this->markTestSkipped("later");\n',
    ],
    ["t/a.t", "use Test::More;\n", 'BEGIN { print "1..0 # SKIP later\\n"; exit 0 }\nuse Test::More;\n'],
    ["a.bats", '@test "x" {\n  true\n}\n', '@test "x" {\n  skip later\n  true\n}\n'],
    ["data.json", "{}", "{}"],
  ])("skips the tests of %s", async (file, before, after) => {
    const { skipTests } = await load("skip-tests.mjs");
    expect(skipTests(file, before)).toBe(after);
  });

  it("inverts the condition nearest to the fix first", async () => {
    const { wrongEdits } = await load("edits.mjs");
    const [first] = wrongEdits("if (a === 1) x();\ny();\nz();\nif (b === 2) x();\n", [3]);
    expect(first).toBe("if (a === 1) x();\ny();\nz();\nif (b !== 2) x();\n");
  });

  it("breaks the build in an appended line and returns its number", async () => {
    const { breakBuild } = await load("edits.mjs");
    expect(breakBuild("a\nb")).toEqual({ text: "a\nb\n@@ this does not build @@\n", line: 3 });
  });
});

describe("a part of a fix", () => {
  const file = (name: string, ...hunks: string[]) =>
    [`diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n`, ...hunks].join("");
  const HUNKS = ["@@ -1 +1 @@\n-a\n+b\n", "@@ -9 +9 @@\n-c\n+d\n", "@@ -3 +3 @@\n-e\n+f\n"] as const;

  it("is the first half of the hunks", async () => {
    const { firstHalf } = await load("hunks.mjs");
    const patch = file("x", HUNKS[0], HUNKS[1]) + file("y", HUNKS[2], HUNKS[0]);
    expect(firstHalf(patch)).toBe(file("x", HUNKS[0], HUNKS[1]));
  });

  it("is empty for a single hunk", async () => {
    const { firstHalf } = await load("hunks.mjs");
    expect(firstHalf(file("x", HUNKS[0]))).toBe("");
  });
});
