import { describe, expect, it } from "vitest";
import { shortenNames } from "#text/shorten-names";

const TRANSFER = "createServer with a body sets the length when it is known, also if Transfer-Encoding is";

describe("shortenNames", () => {
  it("leaves short names unchanged", () => {
    expect(shortenNames(["adds", "subtracts"], 20)).toEqual(["adds", "subtracts"]);
  });

  it("keeps names distinct that begin alike", () => {
    const names = ["chunked", "gzip", "identity", "absent"].map((end) => `${TRANSFER} ${end}`);
    const short = shortenNames(names, 40);
    expect(new Set(short).size).toBe(4);
    expect(short[0]).toBe("createServ…Transfer-Encoding is chunked");
    for (const name of short) expect([...name].length).toBeLessThanOrEqual(40);
  });

  it("keeps names distinct that differ only in the middle", () => {
    const names = ["one", "two"].map((word) => `${"a".repeat(100)}${word}${"z".repeat(100)}`);
    const short = shortenNames(names, 30);
    expect(short[0]).toContain("one");
    expect(short[1]).toContain("two");
  });

  it("gives equal names the same short form and cuts no character in half", () => {
    const fox = "🦊".repeat(50);
    const [one, other] = shortenNames([fox, fox], 20);
    expect(one).toBe(other);
    expect(one?.isWellFormed()).toBe(true);
  });
});
