import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { createPainter } from "#cli/output/painter";
import { terminal } from "../terminal.ts";

it("replaces the panel in place, in one write, and hides the cursor meanwhile", () => {
  const screen = terminal(20);
  const painter = createPainter(screen.stream);
  painter.draw(["one", "two", "three"]);
  painter.draw(["uno", "due"]);
  expect(screen.text()).toEqual(["uno", "due"]);
  expect(screen.writes()).toBe(2);
  expect(screen.cursorShown()).toBe(false);
  expect(screen.wraps()).toBe(true);
});

it("prints logged lines above the panel, in order", () => {
  const screen = terminal(20);
  const painter = createPainter(screen.stream);
  painter.log(["first"]);
  painter.draw(["panel", "panel"]);
  painter.log(["second", "third", "fourth"]);
  painter.draw(["other"]);
  expect(screen.text()).toEqual(["first", "second", "third", "fourth", "other"]);
});

it("clears the panel, keeps the log and restores the cursor", () => {
  const screen = terminal(20);
  const painter = createPainter(screen.stream);
  painter.draw(["panel", "panel"]);
  painter.log(["kept"]);
  painter.clear();
  expect(screen.text()).toEqual(["kept"]);
  expect(screen.cursorShown()).toBe(true);
  painter.log(["after"]);
  expect(screen.text()).toEqual(["kept", "after"]);
  expect(screen.cursorShown()).toBe(true);
});

it("erases the whole panel after the terminal shrinks, ignoring colour codes", () => {
  const screen = terminal(20);
  const painter = createPainter(screen.stream);
  painter.log(["kept"]);
  painter.draw(["12345678901234567890", "\u001b[31m12345678\u001b[39m", "short"]);
  screen.resize(8);
  painter.draw(["new"]);
  expect(screen.text()).toEqual(["kept", "new"]);
});

it("keeps logged lines when the terminal shrinks below the panel width", () => {
  const screen = terminal(20);
  const painter = createPainter(screen.stream);
  painter.draw(["12345678901234567890", "12345678901234567890"]);
  screen.resize(10);
  painter.log(["kept", "kept too"]);
  painter.draw(["new"]);
  expect(screen.text()).toEqual(["kept", "kept too", "new"]);
});

it("writes nothing when nothing changed, and draws again after a resize", () => {
  const screen = terminal(20);
  const painter = createPainter(screen.stream);
  painter.draw(["same"]);
  painter.draw(["same"]);
  painter.log([]);
  expect(screen.writes()).toBe(1);
  screen.resize(30);
  painter.draw(["same"]);
  expect(screen.writes()).toBe(2);
});

it("writes nothing when nothing was drawn", () => {
  const screen = terminal(20);
  const painter = createPainter(screen.stream);
  painter.draw([]);
  painter.clear();
  expect(screen.writes()).toBe(0);
});

it("stops writing after EPIPE", async () => {
  let tried = 0;
  const sink = new Writable({
    autoDestroy: false,
    write(_chunk, _encoding, done) {
      tried += 1;
      done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    },
  });
  const painter = createPainter(sink as unknown as NodeJS.WriteStream);
  painter.draw(["one"]);
  await new Promise((resolve) => setImmediate(resolve));
  painter.draw(["two"]);
  painter.log(["three"]);
  painter.clear();
  expect(tried).toBe(1);
});

it("writes nothing to a closed stream", async () => {
  const screen = terminal(20);
  const painter = createPainter(screen.stream);
  screen.stream.destroy();
  painter.draw(["one"]);
  painter.clear();
  await new Promise((resolve) => setImmediate(resolve));
  expect(screen.writes()).toBe(0);
});
