import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createRegistry } from "#catalog/registry";
import { UsageError } from "#spec/errors";

const greeters = () => {
  const registry = createRegistry<() => string, { readonly place: string }>("greeter");
  registry.register("polite", {
    options: z.strictObject({ name: z.string(), times: z.int().default(1) }),
    create:
      ({ name, times }, { place }) =>
      () =>
        `hello ${name} in ${place}`.repeat(times),
  });
  return registry;
};

describe("a registry", () => {
  it("makes a part from its type, its options and the context", async () => {
    const make = await greeters().create({ type: "polite", name: "Ann" }, { place: "Rome" });
    expect(make()).toBe("hello Ann in Rome");
  });

  it("knows what is registered", () => {
    const registry = greeters();
    registry.register("loud", { create: () => () => "HELLO" });
    expect(registry.list()).toEqual(["loud", "polite"]);
    expect(registry.has("polite")).toBe(true);
    expect(registry.has("toString")).toBe(false);
    expect(registry.get("polite").options).toBeDefined();
  });

  it("refuses a type twice, unless it is asked to overwrite", async () => {
    const registry = greeters();
    const other = { create: () => () => "other" };
    expect(() => registry.register("polite", other)).toThrow(
      new UsageError('greeter "polite" is registered already; pass { overwrite: true } to replace it'),
    );
    registry.register("polite", other, { overwrite: true });
    expect((await registry.create({ type: "polite" }, { place: "" }))()).toBe("other");
  });

  it("refuses an unknown type and lists the known ones", () => {
    expect(() => greeters().create({ type: "polit" }, { place: "" })).toThrow(
      new UsageError('unknown greeter "polit"; did you mean "polite"? (known: polite)'),
    );
    expect(() => greeters().get("rude")).toThrow(new UsageError('unknown greeter "rude" (known: polite)'));
  });

  it("names kind, type and key of options that are wrong, all of them", () => {
    expect(() => greeters().create({ type: "polite", times: "x", nam: 1 }, { place: "" })).toThrow(
      new UsageError(
        [
          'greeter "polite": name: expected a text, got nothing',
          'greeter "polite": times: expected a number, got "x"',
          'greeter "polite": unknown key "nam"; did you mean "name"? (known: name, times)',
        ].join("\n"),
      ),
    );
  });

  it("passes any options on when an entry names none", async () => {
    const registry = createRegistry<unknown, undefined>("thing");
    registry.register("open", { create: (options) => options });
    expect(await registry.create({ type: "open", a: 1, b: [2] }, undefined)).toEqual({ a: 1, b: [2] });
  });

  it("says which values a key that tells variants apart may have", () => {
    const registry = createRegistry<unknown, undefined>("thing");
    const options = z.discriminatedUnion("by", [
      z.strictObject({ by: z.literal("time"), hours: z.number() }),
      z.strictObject({ by: z.literal("count"), count: z.number() }),
    ]);
    registry.register("varied", { options, create: () => undefined });
    expect(() => registry.create({ type: "varied", by: "cuont" }, undefined)).toThrow(
      new UsageError('thing "varied": by: expected time or count, got "cuont"; did you mean "count"?'),
    );
  });
});
