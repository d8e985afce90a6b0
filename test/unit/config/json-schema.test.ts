// The JSON Schema that ships with the package and the schema that reads task files agree.
import fs from "node:fs";
import path from "node:path";
import { type Schema, Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { describeTaskFile, taskJsonSchema } from "#config/json-schema";
import { taskFile } from "#config/task-options";

const root = path.resolve(import.meta.dirname, "../../..");
const validator = new Validator(taskJsonSchema() as Schema, "7");
const isInSchema = (value: unknown) => validator.validate(value).valid;
const isInReader = (value: unknown) => taskFile.safeParse(value).success;

type Example = readonly [place: string, value: unknown];

function filesIn(folder: string, extension: RegExp): readonly string[] {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => extension.test(name) && !name.includes("node_modules"))
    .map((name) => path.join(folder, name));
}

/** A YAML text is a task file, or a part of one, when its first key is an option. Some blocks show one option in several ways. */
function taskIn(place: string, text: string): readonly Example[] {
  const value: unknown = parse(text, { uniqueKeys: false });
  const [first] = Object.keys(value ?? {});
  return first !== undefined && first in taskFile.shape ? [[place, value]] : [];
}

function blocksOf(file: string): readonly Example[] {
  const text = fs.readFileSync(path.join(root, file), "utf8");
  return [...text.matchAll(/```ya?ml\n([\s\S]*?)```/g)].flatMap(([, block = ""], index) =>
    taskIn(`${file}, block ${index + 1}`, block),
  );
}

const examples: readonly Example[] = [
  ...[...filesIn("docs", /\.md$/), ...filesIn("examples", /\.md$/), "README.md"].flatMap(blocksOf),
  ...filesIn("examples", /\.ya?ml$/).flatMap((file) =>
    // A deployment has several documents, and none of them is a task.
    file.includes("deployment") ? [] : taskIn(file, fs.readFileSync(path.join(root, file), "utf8")),
  ),
];

const INVALID: readonly Example[] = [
  ["an unknown key", { propmt: "x" }],
  ["a blank prompt", { prompt: " " }],
  ["a word that is not a value", { context: "new" }],
  ["a number below the limit", { limits: { iterations: 0 } }],
  ["a fraction of an iteration", { limits: { iterations: 1.5 } }],
  ["an unknown nested key", { limits: { tiem: "2h" } }],
  ["a text that is not a duration", { limits: { time: "soon" } }],
  ["a map without a required key", { deliver: { branch: "x" } }],
  ["an unknown action of a gate", { gates: [{ command: "npm test", onFailure: "retry" }] }],
  ["a gate that is a number", { gates: [3] }],
  ["an unknown key of a profile", { profiles: { careful: { limts: {} } } }],
  ["an agent that is a number", { agent: 3 }],
  ["a file that is not a map", ["prompt"]],
];

describe("examples of the documentation", () => {
  it("are collected from docs and examples", () => {
    expect(examples.length).toBeGreaterThan(25);
  });

  it.each(examples)("%s is valid for an editor and for the reader", (_place, value) => {
    expect(validator.validate(value).errors).toEqual([]);
    expect(taskFile.safeParse(value).error?.issues ?? []).toEqual([]);
  });
});

it.each(INVALID)("refuses %s in an editor and in the reader", (_what, value) => {
  expect([isInSchema(value), isInReader(value)]).toEqual([false, false]);
});

it("accepts the defaults that it names", () => {
  const { properties = {} } = taskJsonSchema();
  const defaults = Object.entries(properties).flatMap(([key, schema]) =>
    typeof schema === "object" && "default" in schema ? [[key, schema.default]] : [],
  );
  const task = Object.fromEntries(defaults);
  expect(defaults.length).toBeGreaterThan(20);
  expect([isInSchema(task), isInReader(task)]).toEqual([true, true]);
});

/** Lists the paths of keys without a description. Parts describe their own options. */
function undocumented(schema: unknown, at: string): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((item) => undocumented(item, at));
  const { properties = {}, ...rest } = schema as { readonly properties?: Readonly<Record<string, object>> };
  return [
    ...Object.entries(properties).flatMap(([key, property]) => [
      ...("description" in property ? [] : [`${at}.${key}`]),
      ...undocumented(property, `${at}.${key}`),
    ]),
    ...Object.values(rest).flatMap((value) => undocumented(value, at)),
  ];
}

it("describes every option", () => {
  const parts = /^(\.profiles)?\.(agent|agents|strategy|memory)\.type$/;
  expect(undocumented(describeTaskFile(), "").filter((place) => !parts.test(place))).toEqual([]);
});
