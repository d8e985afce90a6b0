import fc from "fast-check";
import Handlebars from "handlebars";
import { describe, expect, it } from "vitest";
import { checkTemplate } from "#prompt/check-template";
import { BUILT_IN_VARIABLES, isVariableName, render } from "#prompt/template";

const KNOWN = ["task", "progress", "gates", "max-iterations"];
const VALUES = { task: "T", progress: "", gates: "a, b", "max-iterations": 3 };

describe("rendering", () => {
  it("inserts values literally", () => {
    const hostile = "$& $1 {{progress}} {{#if}} --- <b>&amp;</b> \\{{x}}";
    expect(render("[{{task}}|{{{task}}}]", { task: hostile })).toBe(`[${hostile}|${hostile}]`);
  });

  it("supports names with dashes and conditions on empty text", () => {
    const text = "{{max-iterations}}{{#if progress}} so far: {{progress}}{{else}} nothing yet{{/if}}";
    expect(render(text, VALUES)).toBe("3 nothing yet");
    expect(render(text, { ...VALUES, progress: "tried x" })).toBe("3 so far: tried x");
  });

  it("ignores globally registered Handlebars helpers", () => {
    Handlebars.registerHelper("task", () => "hijacked");
    try {
      expect(render("{{task}}", VALUES)).toBe("T");
    } finally {
      Handlebars.unregisterHelper("task");
    }
  });

  it("throws when a variable is missing", () => {
    expect(() => render("{{missing}}", VALUES)).toThrow(/missing/);
  });
});

describe("checking a template", () => {
  it.each([
    "no variables at all, not even \\{{this}}",
    "{{task}} {{ max-iterations }} {{{progress}}} {{~task~}} {{! a comment }} {{!-- {{x}} --}}",
    "{{#if progress}}{{progress}}{{else if gates}}{{gates}}{{else}}{{task}}{{/if}}",
    "{{#unless progress}}{{task}}{{/unless}}",
    "{{#with gates}}{{this}} {{../task}} {{@root.task}}{{else}}{{task}}{{/with}}",
    "{{#with gates as |g|}}{{g}}{{/with}}",
    "{{#each gates as |gate position|}}{{gate}} {{position}} {{@index}} {{#if @last}}{{../task}}{{/if}}{{/each}}",
    '{{lookup task 0}}{{#if (lookup task "x")}}y{{/if}}',
    '{{"task"}} {{[max-iterations]}} {{this.task}}',
  ])("accepts %s", (text) => {
    expect(checkTemplate(text, KNOWN)).toEqual([]);
    expect(() => render(text, VALUES)).not.toThrow();
  });

  const unknown = (name: string, near = "") =>
    `unknown variable "${name}"${near && `; did you mean "${near}"?`} (known: ${KNOWN.join(", ")})`;

  it.each<[string, string, number, number, string]>([
    ["an unknown variable", "a\n  {{tsk}}", 2, 5, unknown("tsk", "task")],
    ["an unknown variable in a condition", "{{#if progres}}x{{/if}}", 1, 7, unknown("progres", "progress")],
    ["an unknown variable in a block", "{{#if task}}\n{{zzz}}{{/if}}", 2, 3, unknown("zzz")],
    ["an unknown variable in an else", "{{#if task}}{{else}}{{zzz}}{{/if}}", 1, 23, unknown("zzz")],
    ["an unknown variable in an option", "{{#if task includeZero=zzz}}{{/if}}", 1, 24, unknown("zzz")],
    ["an unknown variable in a helper call", "{{#if (lookup zzz 1)}}{{/if}}", 1, 15, unknown("zzz")],
    ["an unknown variable of the root", "{{@root.tsk}}", 1, 3, unknown("tsk", "task")],
    ["a quoted unknown variable", '{{"tsk"}}', 1, 3, unknown("tsk", "task")],
    ["an Object.prototype property", "{{constructor}}", 1, 3, unknown("constructor")],
    ["a property of a text", "{{task.title}}", 1, 3, '"task" is a text and has no part "title"'],
    [
      "a property of a block parameter",
      "{{#with task as |t|}}{{t.x}}{{/with}}",
      1,
      24,
      '"t" is a text and has no part "x"',
    ],
    ["a third block parameter", "{{#each gates as |a b c|}}{{c}}{{/each}}", 1, 29, unknown("c")],
    [
      "a variable hidden by a block",
      "{{#each gates}}{{task}}{{/each}}",
      1,
      18,
      '"task" is not visible inside #each; write ../task',
    ],
    ["a parent path at the top level", "{{../task}}", 1, 3, 'there is nothing around for "../task"'],
    [
      "a parent path in a block without its own scope",
      "{{#if task}}{{../task}}{{/if}}",
      1,
      15,
      'there is nothing around for "../task"',
    ],
    ["this outside of a block", "{{this}}", 1, 3, '"this" means something only inside #each and #with'],
    ["@index outside of a block", "{{@index}}", 1, 3, 'unknown variable "@index" (known: @root.…)'],
    ["an unknown helper", "{{shout task}}", 1, 3, 'unknown helper "shout" (known: lookup)'],
    ["a helper that prints", "{{log task}}", 1, 3, 'unknown helper "log" (known: lookup)'],
    ["a block used as a value", "{{if task}}", 1, 3, '"if" is a block: {{#if …}} … {{/if}}'],
    [
      "an unknown block",
      "{{#iff task}}{{/iff}}",
      1,
      4,
      'unknown helper "iff"; did you mean "if"? (known: if, unless, each, with)',
    ],
    [
      "a variable used as a block",
      "{{#task}}{{/task}}",
      1,
      4,
      'unknown helper "task" (known: if, unless, each, with)',
    ],
    ["too many values", "{{#if task gates}}{{/if}}", 1, 1, '"if" takes one value, got 2'],
    ["too few values", "{{lookup task}}", 1, 1, '"lookup" takes 2 values, got 1'],
    ["a partial", "x {{> other}}", 1, 3, "partials and decorators are not supported in templates"],
    [
      "a block that is not closed",
      "a\n{{#if task}}\n b",
      3,
      3,
      "the template ends before a {{ or a block is closed",
    ],
    ["a block closed by another name", "{{#if task}}{{/each}}", 1, 4, "if doesn't match each"],
    ["nothing between the braces", "one\nx {{}} y", 2, 5, "unexpected CLOSE in {{ }}"],
    ["braces that are not closed", `one\n${"w ".repeat(40)}{{task`, 2, 83, "this is not valid in {{ }}"],
  ])("rejects %s", (_, text, line, column, message) => {
    expect(checkTemplate(text, KNOWN)).toEqual([{ line, column, message }]);
  });

  it("reports all problems", () => {
    const problems = checkTemplate("{{a}}\n{{#if b}}{{c}}{{/if}}{{d}}", KNOWN);
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [1, 3],
      [2, 7],
      [2, 12],
      [2, 24],
    ]);
  });

  it("accepts only templates that render", () => {
    const scraps = [
      "{{task}}",
      "{{#if task}}",
      "{{/if}}",
      "{{else}}",
      "{{#each gates}}",
      "{{/each}}",
      "{{this}}",
      "{{../task}}",
      "{{@index}}",
      "{{#with gates as |g|}}",
      "{{/with}}",
      "{{g}}",
      "{{g.x}}",
      "{{@root.gates}}",
      "{{x}}",
      "{{lookup task 1}}",
      "text",
      "{{",
      "}}",
    ];
    let passed = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...scraps), { maxLength: 6 }), (parts) => {
        const text = parts.join("");
        if (checkTemplate(text, KNOWN).length > 0) return;
        passed++;
        render(text, VALUES);
      }),
      { numRuns: 3000 },
    );
    expect(passed).toBeGreaterThan(100);
  });

  it("never throws, for any text", () => {
    const scrap = fc.constantFrom(
      "{{",
      "}}",
      "{{{",
      "}}}",
      "#",
      "/",
      "if",
      " ",
      "task",
      "^",
      "!",
      "--",
      ">",
      "&",
      "@",
      ".",
      "..",
      "(",
      ")",
      "|",
      "as",
      "[",
      "]",
      "=",
      '"',
      "\\",
      "\n",
      "*",
      "1",
    );
    fc.assert(
      fc.property(fc.array(scrap, { maxLength: 12 }), (parts) => {
        for (const { line, column } of checkTemplate(parts.join(""), KNOWN)) {
          expect(line).toBeGreaterThan(0);
          expect(column).toBeGreaterThan(0);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe("names of variables", () => {
  it("may be built-in names and names that Handlebars does not reserve", () => {
    expect(BUILT_IN_VARIABLES.every(isVariableName)).toBe(true);
    expect(["plan", "max-depth", "_x", "a1"].every(isVariableName)).toBe(true);
    expect(["", "if", "this", "a b", "a.b", "1a", "@x", "lookup", "log"].filter(isVariableName)).toEqual([]);
  });
});
