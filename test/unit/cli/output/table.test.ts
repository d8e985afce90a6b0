import fc from "fast-check";
import { expect, it } from "vitest";
import { tone } from "#cli/output/spans";
import { createStyle } from "#cli/output/style";
import { table } from "#cli/output/table";
import { width } from "#cli/output/width";
import { anyCharacter } from "../../../support/any-character.ts";

const bare = createStyle({ color: false, unicode: true });

it("aligns columns by display width and leaves no spaces at the end", () => {
  expect(
    table(
      [
        ["id", "task", "state"],
        ["a1", "数字を足す", "running"],
        ["b2", "", ""],
      ],
      { columns: 80, style: bare },
    ),
  ).toEqual(["id  task        state", "a1  数字を足す  running", "b2"]);
});

it("takes room from the widest column first", () => {
  expect(
    table([["k3f9x2ab", "a rather long title of a task", "running"]], { columns: 30, style: bare }),
  ).toEqual(["k3f9x2ab  a rather l…  running"]);
});

it("colours a cell without its padding counting the codes", () => {
  const colored = createStyle({ color: true, unicode: true });
  expect(table([[tone("good", "ok"), "x"]], { columns: 80, style: colored })).toEqual([
    "\u001b[32mok\u001b[39m  x",
  ]);
});

it("gives nothing for nothing", () => expect(table([], { columns: 80, style: bare })).toEqual([]));

it("is never wider than it may be, whatever the cells hold", () => {
  const cells = fc.array(fc.array(fc.string({ unit: anyCharacter }), { maxLength: 5 }), { maxLength: 5 });
  fc.assert(
    fc.property(cells, fc.integer({ min: 1, max: 60 }), (rows, columns) => {
      for (const line of table(rows, { columns, style: bare })) {
        expect(width(line)).toBeLessThanOrEqual(columns);
        expect(line).toBe(line.trimEnd());
        expect(line).not.toMatch(/\p{Cc}/u);
      }
    }),
  );
});
