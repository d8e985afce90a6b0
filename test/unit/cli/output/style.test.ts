import { describe, expect, it } from "vitest";
import { createStyle, showsUnicode, styleFor, wantsColor } from "#cli/output/style";

const terminal = { isTTY: true };
const pipe = {};

describe("colour", () => {
  it.each([
    ["a terminal", terminal, {}, true],
    ["a pipe", pipe, {}, false],
    ["a dumb terminal", terminal, { TERM: "dumb" }, false],
    ["NO_COLOR", terminal, { NO_COLOR: "1" }, false],
    ["an empty NO_COLOR", terminal, { NO_COLOR: "" }, true],
    ["FORCE_COLOR in a pipe", pipe, { FORCE_COLOR: "1" }, true],
    ["FORCE_COLOR=0", terminal, { FORCE_COLOR: "0" }, false],
    ["NO_COLOR against FORCE_COLOR", terminal, { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
  ])("%s", (_name, stream, environment, expected) => expect(wantsColor(stream, environment)).toBe(expected));

  it("is painted only when it is enabled", () => {
    expect(createStyle({ color: true, unicode: true }).paint.bad("x")).toBe("\u001b[31mx\u001b[39m");
    expect(createStyle({ color: false, unicode: true }).paint.loud("x")).toBe("x");
  });
});

describe("Unicode signs", () => {
  it.each([
    [{ LANG: "en_US.UTF-8" }, true],
    [{ LANG: "C.utf8" }, true],
    [{ LANG: "C" }, false],
    [{}, false],
    [{ LC_ALL: "C", LANG: "en_US.UTF-8" }, false],
    [{ LC_ALL: "", LC_CTYPE: "de_DE.UTF-8" }, true],
    [{ LANG: "en_US.UTF-8", TERM: "linux" }, false],
    [{ LANG: "en_US.UTF-8", TERM: "dumb" }, false],
  ])("%o", (environment, expected) => expect(showsUnicode(environment)).toBe(expected));

  it("are chosen from the locale, and colours from the stream", () => {
    const style = styleFor(terminal, { LANG: "C" });
    expect(style.glyphs.status.passed).toBe("+");
    expect(style.paint.good("x")).toBe("\u001b[32mx\u001b[39m");
  });
});
