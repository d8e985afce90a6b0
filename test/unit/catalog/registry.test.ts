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
  it("creates a part from its type, options and context", async () => {
    const make = await greeters().create({ type: "polite", name: "Ann" }, { place: "Rome" });
    expect(make()).toBe("hello Ann in Rome");
  });

  it("lists the registered types", () => {
    const registry = greeters();
    registry.register("loud", { create: () => () => "HELLO" });
    expect(registry.list()).toEqual(["loud", "polite"]);
    expect(registry.has("polite")).toBe(true);
    expect(registry.has("toString")).toBe(false);
    expect(registry.get("polite").options).toBeDefined();
  });

  it("rejects a duplicate type unless overwrite is set", async () => {
    const registry = greeters();
    const other = { create: () => () => "other" };
    expect(() => registry.register("polite", other)).toThrow(
      new UsageError('greeter "polite" is already registered; pass { overwrite: true } to replace it'),
    );
    registry.register("polite", other, { overwrite: true });
    expect((await registry.create({ type: "polite" }, { place: "" }))()).toBe("other");
  });

  it("rejects an unknown type and lists the known ones", () => {
    expect(() => greeters().create({ type: "polit" }, { place: "" })).toThrow(
      new UsageError('unknown greeter "polit"; did you mean "polite"? (known: polite)'),
    );
    expect(() => greeters().get("rude")).toThrow(new UsageError('unknown greeter "rude" (known: polite)'));
  });

  it("reports kind, type and key of every invalid option", () => {
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

  it("passes options through when an entry has no schema", async () => {
    const registry = createRegistry<unknown, undefined>("thing");
    registry.register("open", { create: (options) => options });
    expect(await registry.create({ type: "open", a: 1, b: [2] }, undefined)).toEqual({ a: 1, b: [2] });
  });

  it("lists the values of a discriminator key", () => {
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
