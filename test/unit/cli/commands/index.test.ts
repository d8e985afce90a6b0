import fs from "node:fs";
import { expect, it } from "vitest";
import { COMMANDS } from "#cli/commands/index";

const folder = new URL("../../../../src/cli/commands/", import.meta.url);
const files = fs.readdirSync(folder).filter((file) => file !== "index.ts");

it("lists every command file under the name of its command", async () => {
  expect(Object.keys(COMMANDS).sort()).toEqual(files.map((file) => file.replace(".ts", "")).sort());
  for (const [name, load] of Object.entries(COMMANDS)) expect((await load()).command.name).toBe(name);
});

it("imports heavy rooms lazily, so that the help prints fast", () => {
  const light = ["spec", "text", "rules"];
  for (const file of files) {
    const source = fs.readFileSync(new URL(file, folder), "utf8");
    const rooms = [...source.matchAll(/^(?:import|export) (?!type).* from "#(\w+)\//gm)].map(
      ([, room]) => room,
    );
    expect(
      rooms.filter((room) => room === undefined || !light.includes(room)),
      file,
    ).toEqual([]);
  }
});
