// Writes the reference of the task file from the declarations of its options: docs/task-options.md and the JSON Schema
// that ships with the package. --check tells whether both still match the declarations. Needs a build.
import fs from "node:fs";
import path from "node:path";
import { root } from "./set-up.mjs";

const { describeTaskFile, taskJsonSchema } = await import("../dist/config/json-schema.js");

const INTRO = `# Task options

<!-- written by \`npm run reference\`, not by hand -->

Every option of the [task file](task-file.md), from the declarations that Converge validates it with. The same declarations
make \`schema/task.schema.json\`, which editors read. Options of the parts themselves are on the pages of
[agents](agents.md), [gates](agents-and-gates.md), [strategies](strategies.md) and [memory](memory.md).
`;

/** The map of keys inside a schema, with the suffix of its path: none, \`[]\` for a list, \`.NAME\` for a map of names. */
function mapsIn(schema, suffix = "") {
  if (schema.properties) return [{ suffix, schema }];
  const named = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
  return [
    ...(schema.anyOf ?? []).flatMap((branch) => mapsIn(branch, suffix)),
    ...(schema.items ? mapsIn(schema.items, `${suffix}[]`) : []),
    ...(Object.keys(named).length > 0 ? mapsIn(named, `${suffix}.NAME`) : []),
  ];
}

/** All maps of keys, outermost first; each only once, and without the keys that a profile shares with the task. */
function sectionsOf(rootSchema) {
  const sections = [];
  const done = new Set();
  const visit = (title, schema, inherited) => {
    const properties = Object.entries(schema.properties).filter(([key]) => !inherited.includes(key));
    const text = JSON.stringify(properties);
    if (done.has(text) || properties.some(([, { description }]) => description === undefined)) return;
    done.add(text);
    sections.push({ title, properties, required: schema.required ?? [] });
    for (const [key, property] of properties)
      for (const inner of mapsIn(property).sort((a, b) => a.suffix.length - b.suffix.length))
        visit(
          `${title === "" ? "" : `${title}.`}${key}${inner.suffix}`,
          inner.schema,
          key === "profiles" ? Object.keys(schema.properties) : [],
        );
  };
  visit("", rootSchema, []);
  return sections;
}

const code = (value) => `\`${value}\``;
const grouped = (number) => number.toLocaleString("en-US");

function listed(words) {
  const names = [...new Set(words)];
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

function numberWords({ type, minimum, maximum, exclusiveMinimum }) {
  const noun = type === "integer" ? "whole number" : "number";
  if (maximum === undefined) return noun;
  return exclusiveMinimum === undefined
    ? `${noun} from ${grouped(minimum)} to ${grouped(maximum)}`
    : `${noun} above ${grouped(exclusiveMinimum)}, up to ${grouped(maximum)}`;
}

/** What a value may be, in plain words. */
function alternatives(schema) {
  if (schema["x-type"]) return schema["x-type"].split(" or ");
  if (schema.anyOf) return schema.anyOf.flatMap(alternatives);
  if (schema.const !== undefined) return [code(schema.const)];
  if (schema.enum) return schema.enum.map(code);
  if (Array.isArray(schema.type)) return schema.type.flatMap((type) => alternatives({ type }));
  if (schema.type === "array") return [`list of: ${typeWords(schema.items)}`];
  if (schema.type === "boolean") return ["`true`", "`false`"];
  if (schema.type === "string") return ["text"];
  if (schema.type !== "object") return [numberWords(schema)];
  return [schema.properties ? "map" : `map of names to: ${typeWords(schema.additionalProperties)}`];
}

const typeWords = (schema) => listed(alternatives(schema));

/** The default as a user would write it. */
function defaultWords(key, schema, required) {
  const value = schema.default;
  if (required.includes(key)) return "required";
  if (schema["x-default"]) return schema["x-default"];
  if (value === undefined || JSON.stringify(value) === "{}") return "";
  if (Array.isArray(value)) return value.length === 0 ? "none" : code(`[${value.join(", ")}]`);
  return code(schema["x-type"] === "`on` or `off`" ? (value ? "on" : "off") : value);
}

function row(key, schema, required) {
  const page = schema["x-see"];
  const link = page ? ` See [${page.replace(".md", "").replaceAll("-", " ")}](${page}).` : "";
  const cells = [
    code(key),
    typeWords(schema),
    defaultWords(key, schema, required),
    schema.description + link,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function page() {
  const tables = sectionsOf(describeTaskFile()).map(({ title, properties, required }) =>
    [
      ...(title === "" ? [] : [`## ${code(title)}`, ""]),
      "| option | type | default | what it does |",
      "|---|---|---|---|",
      ...properties.map(([key, schema]) => row(key, schema, required)),
    ].join("\n"),
  );
  return `${[INTRO.trimEnd(), ...tables].join("\n\n")}\n`;
}

const files = {
  "docs/task-options.md": page(),
  "schema/task.schema.json": `${JSON.stringify(taskJsonSchema(), null, 2)}\n`,
};

for (const [name, text] of Object.entries(files)) {
  const file = path.join(root, name);
  if (!process.argv.includes("--check")) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  } else if (!fs.existsSync(file) || fs.readFileSync(file, "utf8") !== text) {
    console.error(`${name} does not match the options in src/config; run \`npm run reference\``);
    process.exitCode = 1;
  }
}
