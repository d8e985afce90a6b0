import fc from "fast-check";
import { expect, it } from "vitest";
import { tone } from "#cli/output/spans";
import { createStyle } from "#cli/output/style";
import { table } from "#cli/output/table";
import { width } from "#cli/output/width";
import { anyCharacter } from "../../../support/any-character.ts";

const bare = createStyle({ color: false, unicode: true });

it("aligns columns by display width without trailing spaces", () => {
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

it("shrinks the widest column first", () => {
  expect(
    table([["k3f9x2ab", "a rather long title of a task", "running"]], { columns: 30, style: bare }),
  ).toEqual(["k3f9x2ab  a rather l…  running"]);
});

it("ignores colour codes when it pads a cell", () => {
  const colored = createStyle({ color: true, unicode: true });
  expect(table([[tone("good", "ok"), "x"]], { columns: 80, style: colored })).toEqual([
    "\u001b[32mok\u001b[39m  x",
  ]);
});

it("returns no lines for no rows", () => expect(table([], { columns: 80, style: bare })).toEqual([]));

it("never exceeds the column limit for any cell text", () => {
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
