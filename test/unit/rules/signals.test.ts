import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_SIGNALS, findSignal, withPromise } from "#rules/signals";
import { anyCharacter } from "../../support/any-character.ts";

const find = (message: string, prompt = "Fix it.", signals = DEFAULT_SIGNALS) =>
  findSignal(message, prompt, signals);

describe("a completion signal", () => {
  it.each([
    ["TASK_COMPLETE", "TASK_COMPLETE"],
    ["TASK_COMPLETED", "TASK_COMPLETED"],
    ["DONE", "DONE"],
    ["[COMPLETE]", "[COMPLETE]"],
    ["[TASK COMPLETE]", "[TASK COMPLETE]"],
    ["[DONE]", "[DONE]"],
    ["  DONE\t", "DONE"],
    ["DONE.", "DONE"],
    ["DONE!!", "DONE"],
    ["**DONE**", "DONE"],
    ["*DONE*", "DONE"],
    ["__DONE__", "DONE"],
    ["***DONE***", "DONE"],
    ["**_DONE_**", "DONE"],
    ["**DONE!**", "DONE"],
    ["**TASK_COMPLETE**.", "TASK_COMPLETE"],
    ["All tests pass now.\n\nDONE", "DONE"],
    ["All tests pass now.\nDONE\n\nChanged files: a.ts", "DONE"],
    ["All tests pass now.\r\nDONE\r\n", "DONE"],
    ["- the parser no longer crashes when the input is empty\nDONE", "DONE"],
    ["It does not crash any more.\nDONE", "DONE"],
    ["Here is my status:\nDONE", "DONE"],
    ["```\nnpm test\n```\nDONE", "DONE"],
    ["~~~\n```\n~~~\nDONE", "DONE"],
    ["Is it done?\n\n```npm test``` passes.\n\nDONE", "DONE"],
    ["<promise>COMPLETE</promise>", "<promise>COMPLETE</promise>"],
    ["<PROMISE> all  green </Promise>", "<promise>all green</promise>"],
    ["**<promise>COMPLETE</promise>**", "<promise>COMPLETE</promise>"],
    ["All green.\n<promise>\n  COMPLETE\n</promise>\n", "<promise>COMPLETE</promise>"],
    ["**<promise>\nCOMPLETE\n</promise>**", "<promise>COMPLETE</promise>"],
    ["## No crash when the input is empty\n\nDONE", "DONE"],
    ["Now I say it.\n\n<promise>COMPLETE</promise>.", "<promise>COMPLETE</promise>"],
    ["All tests pass. <promise>COMPLETE</promise>", "<promise>COMPLETE</promise>"],
    ["**Finished!** <promise> complete </promise>", "<promise>complete</promise>"],
    ["<promise>BLOCKED</promise>\nSolved.\n<promise>COMPLETE</promise>", "<promise>COMPLETE</promise>"],
  ])("is found in %j", (message, expected) => {
    expect(find(message)).toBe(expected);
  });

  it.each([
    "",
    "   \n\n",
    "abandoned",
    "ABANDONED",
    "done",
    "Done.",
    "task_complete",
    "NOT DONE",
    "I'm not DONE",
    "DONE with the first part",
    "The task is DONE.",
    "Status: DONE",
    "DONE?",
    "DONE:",
    "UNDONE",
    "~~DONE~~",
    "`DONE`",
    '"DONE"',
    "# DONE",
    "- [ ] DONE",
    "> DONE",
    ">> DONE",
    "| DONE",
    "| DONE | yes |",
    "```\nDONE\n```",
    "```text\nDONE",
    "~~~\nDONE\n~~~",
    "````\n```\nDONE\n```\n````",
    "The task is not yet\nDONE",
    "I have not finished, so I cannot write\nDONE",
    "The program prints\nDONE\nonly at the very end.",
    "I will NOT output <promise>COMPLETE</promise>",
    "Once finished I will say <promise>X</promise>",
    "Once finished I will say:\n\n<promise>X</promise>",
    "When everything works, I will output:\n<promise>X</promise>",
    "<promise>COMPLETE</promise> is what I will say at the end",
    "<promise>A</promise> or <promise>B</promise>",
    "`<promise>COMPLETE</promise>`",
    "> <promise>COMPLETE</promise>",
    "| <promise>COMPLETE</promise>",
    "> <promise>\n> COMPLETE\n> </promise>",
    "```\n<promise>COMPLETE</promise>\n```",
    "<promise></promise>",
    `<promise>${"long ".repeat(200)}</promise>`,
    "<promise>COMPLETE",
    "COMPLETE</promise>",
    "<promise>\nDONE\n</promise> is not what I say",
    "I must not output <promise>DONE</promise> yet",
    "The tests do not pass. <promise>DONE</promise>",
    "I will say it when I am finished. <promise>DONE</promise>",
    'The task says "Finish. <promise>DONE</promise>',
    "> Finish. <promise>DONE</promise>",
    "The end of it is: <promise>DONE</promise>",
  ])("is not found in %j", (message) => {
    expect(find(message)).toBeUndefined();
  });

  it.each([
    ["DONE", "Fix it, then print this line:\nDONE"],
    ["**DONE**", "Fix it, then print this line:\n  DONE."],
    ["<promise>X</promise>", "Say:\n<promise>x</promise>"],
    ["<promise>X</promise>", "Say:\n<promise>\nX\n</promise>"],
    ["<promise>\n```\na\n```\nX\n</promise>", "Say:\n<promise>\n```\na\n```\nX\n</promise>"],
    ["You asked me to print\n\n<promise>X</promise>", "Print\n```\n<promise>X</promise>\n```"],
  ])("is ignored as an echo of the prompt in %j after %j", (message, prompt) => {
    expect(find(message, prompt)).toBeUndefined();
  });

  it.each([
    "When everything passes, output: <promise>DONE</promise>",
    "| <promise>DONE</promise>",
    'You said "<promise>DONE</promise>", but these gates do not pass: tests (failed).',
  ])("counts as the agent's own when the prompt only mentions it: %j", (prompt) => {
    expect(find("<promise>DONE</promise>", prompt)).toBe("<promise>DONE</promise>");
  });
});

describe("configured signals", () => {
  it("replace the built-in ones and are matched literally", () => {
    expect(find("ALL (FIXED).*", "", ["ALL (FIXED).*"])).toBe("ALL (FIXED).*");
    expect(find("ALL XFIXEDX", "", ["ALL .FIXED."])).toBeUndefined();
    expect(find("FINISHED!", "", ["FINISHED!"])).toBe("FINISHED!");
    expect(find("DONE", "", ["FINISHED"])).toBeUndefined();
    expect(find("anything", "", [])).toBeUndefined();
    expect(find("\n \n", "", ["", " "])).toBeUndefined();
  });

  it("with a promise accept only a tag with exactly these words", () => {
    const signals = withPromise(DEFAULT_SIGNALS, "All (green) $&.*");
    expect(find("<promise>\nall  (GREEN) $&.*</promise>", "", signals)).toBe(
      "<promise>all (GREEN) $&.*</promise>",
    );
    expect(find("<promise>All green</promise>", "", signals)).toBeUndefined();
    expect(find("<promise>Not All (green) $&.*</promise>", "", signals)).toBeUndefined();
    expect(find("DONE", "", signals)).toBe("DONE");
  });

  it("use the last tag", () => {
    const signals = withPromise(DEFAULT_SIGNALS, "COMPLETE");
    const complete = "<promise>COMPLETE</promise>";
    expect(find(`${complete}\nOh no.\n<promise>BLOCKED</promise>`, "", signals)).toBeUndefined();
    expect(find(`<promise>BLOCKED</promise>\nSolved.\n${complete}`, "", signals)).toBe(complete);
  });

  it("stay unchanged without a promise", () => {
    expect(withPromise(["A"], undefined)).toEqual(["A"]);
  });
});

describe("findSignal for any message", () => {
  const piece = fc.constantFrom(
    "DONE",
    "<promise>",
    "</promise>",
    "```",
    "~~~",
    "> ",
    "*",
    "_",
    ".",
    "\n",
    " ",
    "x",
  );
  const message = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(piece).map((pieces) => pieces.join("")),
  );

  it("never throws, and never takes an echo of the whole prompt for a signal", () => {
    fc.assert(
      fc.property(message, message, (text, prompt) => {
        findSignal(text, prompt, DEFAULT_SIGNALS);
        expect(findSignal(text, text, DEFAULT_SIGNALS)).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  it("never finds a signal in lines quoted with a bar", () => {
    fc.assert(
      fc.property(message, (text) => {
        const barred = text.split(/\r\n?|\n/).map((line) => `| ${line}`);
        expect(findSignal(barred.join("\n"), "", DEFAULT_SIGNALS)).toBeUndefined();
      }),
    );
  });
});
