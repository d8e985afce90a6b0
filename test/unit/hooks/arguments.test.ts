import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRalph } from "#hooks/arguments";
import { UsageError } from "#spec/errors";

function rejectionOf(text: string): string {
  try {
    return `read as ${JSON.stringify(parseRalph(text))}`;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    expect(error.message).toContain('usage: /ralph "what is wanted"');
    return error.message.split("\n")[0] ?? "";
  }
}

const READ: readonly (readonly [string, ReturnType<typeof parseRalph>])[] = [
  ["Fix the bug", { prompt: "Fix the bug" }],
  ["  Fix the bug \n", { prompt: "Fix the bug" }],
  ['"Fix the bug"', { prompt: "Fix the bug" }],
  ["'Fix the bug'", { prompt: "Fix the bug" }],
  ["“Fix the bug”", { prompt: "Fix the bug" }],
  ["‘Fix the bug’", { prompt: "Fix the bug" }],
  ["„Fix the bug“", { prompt: "Fix the bug" }],
  ["«Fix the bug»", { prompt: "Fix the bug" }],
  ['" spaces stay "', { prompt: " spaces stay " }],
  ['"Fix" --max-iterations=3', { prompt: "Fix", maxIterations: 3 }],
  ['"Fix" --max-iterations 3', { prompt: "Fix", maxIterations: 3 }],
  ['--max-iterations 3 "Fix"', { prompt: "Fix", maxIterations: 3 }],
  ["--max-iterations=3 Fix the bug", { prompt: "Fix the bug", maxIterations: 3 }],
  ["Fix the bug --max-iterations 3", { prompt: "Fix the bug", maxIterations: 3 }],
  ['--max-iterations "3" Fix', { prompt: "Fix", maxIterations: 3 }],
  ["Fix —max-iterations 3", { prompt: "Fix", maxIterations: 3 }],
  ["Fix --max-iterations 3 --max-iterations 4", { prompt: "Fix", maxIterations: 4 }],
  [
    '--completion-promise="ALL  DONE" Fix\n--max-iterations\n7',
    { prompt: "Fix", maxIterations: 7, promise: "ALL DONE" },
  ],
  ["Fix --completion-promise=ALL_FIXED", { prompt: "Fix", promise: "ALL_FIXED" }],
  [
    'Fix --gate "npm test -- --run" --gate \'echo "a b"\' --gate=make',
    { prompt: "Fix", gates: ["npm test -- --run", 'echo "a b"', "make"] },
  ],
  ['--gate "grep \\"x\\" f" Fix', { prompt: "Fix", gates: ['grep "x" f'] }],
  ["Fix --gate=--version", { prompt: "Fix", gates: ["--version"] }],
  ["--no-gates Fix", { prompt: "Fix", gates: [] }],
  ["Fix --no-gates", { prompt: "Fix", gates: [] }],
  [
    "First.\n\n- second\n---\n{{x}} --max-iterations 2",
    { prompt: "First.\n\n- second\n---\n{{x}}", maxIterations: 2 },
  ],
  ["--- begins", { prompt: "--- begins" }],
  ["---\nname: x\n---\nbody", { prompt: "---\nname: x\n---\nbody" }],
  [
    "Pay $5, $& $1 $HOME `ls` $(ls) {{x}} !`id` @file",
    { prompt: "Pay $5, $& $1 $HOME `ls` $(ls) {{x}} !`id` @file" },
  ],
  ["C:\\new\\table and \\d+", { prompt: "C:\\new\\table and \\d+" }],
  ['"C:\\new \\d+ \\"quoted\\" \\\\"', { prompt: 'C:\\new \\d+ "quoted" \\' }],
  ["Don't stop 🦊 'til it's done", { prompt: "Don't stop 🦊 'til it's done" }],
  ["'don't stop' --max-iterations 2", { prompt: "don't stop", maxIterations: 2 }],
  ['"foo" and "bar"', { prompt: '"foo" and "bar"' }],
  ['"foo" and more --no-gates', { prompt: '"foo" and more', gates: [] }],
  ['"never closed --no-gates', { prompt: '"never closed', gates: [] }],
  ['"Explain --max-iterations 3 and --gate"', { prompt: "Explain --max-iterations 3 and --gate" }],
  ['"Explain --gaet"', { prompt: "Explain --gaet" }],
  ["Run eslint with --fix and --max-warnings 0", { prompt: "Run eslint with --fix and --max-warnings 0" }],
  ["a -- b", { prompt: "a -- b" }],
];

describe("arguments of /ralph", () => {
  it.each(READ)("parses %j", (text, expected) => {
    expect(parseRalph(text)).toEqual(expected);
  });

  it.each([
    ["", "no task given"],
    [" \n ", "no task given"],
    ['""', "no task given"],
    ['" " --no-gates', "no task given"],
    ["--max-iterations 3", "no task given"],
    ["Fix --max-iterations", "--max-iterations needs a value"],
    ["Fix --max-iterations=", "--max-iterations needs a value"],
    ["Fix --gate --no-gates", '--gate needs a value, but "--no-gates" is another option'],
    ['Fix --gate "npm test', "--gate: the quote around its value is not closed"],
    ['Fix --gate ""', "--gate: expected a command, got nothing"],
    ["Fix --max-iterations three", 'expected a number from 1 to 100000, got "three"'],
    ["Fix --max-iterations 0", 'got "0"'],
    ["Fix --max-iterations -1", 'got "-1"'],
    ["Fix --max-iterations 1.5", 'got "1.5"'],
    ["Fix --max-iterations 1e3", 'got "1e3"'],
    ["Fix --max-iterations 100001", 'got "100001"'],
    ["Fix --completion-promise ''", "--completion-promise: expected"],
    ["Fix --completion-promise '<b>'", 'without < and >, got "<b>"'],
    [`Fix --completion-promise ${"x".repeat(201)}`, "at most 200 characters"],
    ["Fix --gate make --no-gates", "give --gate or --no-gates, not both"],
    ["Fix --no-gates=yes", "--no-gates takes no value"],
    ["Fix --max-iterations 3 please", "--max-iterations is in the middle of the task"],
    ["Fix --gate npm test", "--gate is in the middle of the task"],
    ["Fix --gaet x", "unknown option --gaet; did you mean --gate?"],
    ["Fix --maxIterations=3", "unknown option --maxIterations; did you mean --max-iterations?"],
    ["--max_iterations 3 Fix", "unknown option --max_iterations; did you mean --max-iterations?"],
    ["--verbose Fix", "unknown option --verbose (quote the task if this is part of it)"],
  ])("%j is rejected with a reason", (text, why) => {
    expect(rejectionOf(text)).toContain(why);
  });

  const any = fc.string({ unit: "binary", maxLength: 40 });
  const bits = fc.constantFrom(
    '"',
    "'",
    "”",
    "\\",
    "--gate",
    "--max-iterations=2",
    "---",
    "$&",
    "\n",
    " ",
    "x",
    "{{x}}",
  );
  const hostile = fc.oneof(
    any,
    fc.array(bits, { maxLength: 12 }).map((parts) => parts.join("")),
  );
  const option = fc.constantFrom(
    "--max-iterations 3",
    "--max-iterations=4",
    '--gate "a b"',
    "--gate=c",
    "--completion-promise 'x y'",
  );
  const quote = fc.constantFrom(
    (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`,
    (text: string) => (text.includes("'") ? `"${text.replace(/["\\]/g, "\\$&")}"` : `'${text}'`),
    (text: string) => (text.includes("”") ? `"${text.replace(/["\\]/g, "\\$&")}"` : `“${text}”`),
  );
  const gap = fc.constantFrom(" ", "\n", "\t ", " \n ");

  it("returns a quoted task byte for byte between any options", () => {
    const options = fc.array(option, { maxLength: 3 });
    fc.assert(
      fc.property(hostile, quote, options, options, gap, (text, inQuotes, before, after, space) => {
        fc.pre(text.trim() !== "");
        const read = parseRalph([...before, inQuotes(text), ...after].join(space));
        expect(read.prompt).toBe(text);
        const given = [...before, ...after];
        expect(read.gates?.length ?? 0).toBe(given.filter((one) => one.startsWith("--gate")).length);
        expect(read.maxIterations !== undefined).toBe(given.some((one) => one.startsWith("--max")));
      }),
      { numRuns: 500 },
    );
  });

  it("parses or rejects any text", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(rejectionOf(text)).not.toBe("");
      }),
      { numRuns: 1000 },
    );
  });

  // A quadratic parser would take minutes for each of these and time out.
  it.each([
    '"',
    "'",
    "“",
    "\\",
    " ",
    "\n",
    "-",
    "--gate ",
    '--gate "',
    '--gate="a',
    "--gate “",
    "--gate x ",
    '" ',
    "--a ",
    '\\" ',
  ])("parses half a megabyte of %j in linear time", (part) => {
    rejectionOf(part.repeat(Math.ceil(524_288 / part.length)));
    rejectionOf(`Fix ${part.repeat(Math.ceil(524_288 / part.length))} --no-gates`);
  });
});
