// Validates JSON and YAML files of the workspace against a JSON Schema.
import { readInside } from "#system/files-inside";
import { runWithTimeout } from "#system/sync-timeout";
import { lineOf, parseData } from "./data.ts";
import { type Check, type CheckContext, resultOf } from "./level.ts";
import { readSchema, type SchemaSource, schemaErrors } from "./schema.ts";
import { isGlob, type Selection, select } from "./select.ts";

export interface SchemaRule extends Selection {
  readonly schema: SchemaSource;
}

type Schema = Awaited<ReturnType<typeof readSchema>>;

const DATA_BYTES = 4 * 1024 * 1024;
const PARSE_MS = 5_000;
const SHOWN = 10;

export function schemaCheck({ schema: source, ...selection }: SchemaRule): Check {
  const id = `L0 schema: ${selection.files.join(", ")}`;
  return {
    id,
    run: async (context) => {
      const schema = await readSchema(context.request.dir, source);
      const files = await selectWithMissing(context, selection);
      if (files.length === 0)
        return resultOf(id, [{ message: "no file matches, so there is nothing to validate" }]);
      const findings = [];
      for (const file of files) {
        const problems = await validate(context.request.dir, file, schema);
        findings.push(
          ...problems.map((each) => ({ id: files.length > 1 ? `${id} in ${file}` : id, ...each })),
        );
      }
      return resultOf(id, findings);
    },
  };
}

/** Includes a plain path even if the file does not exist, so that a missing file is reported. */
async function selectWithMissing(context: CheckContext, selection: Selection): Promise<readonly string[]> {
  const plain = selection.files.filter((file) => !isGlob(file));
  return [...new Set([...plain, ...(await select(context, selection))])];
}

async function validate(dir: string, file: string, schema: Schema) {
  const read = await readData(dir, file).catch((error: Error) => error);
  if (read instanceof Error) return [{ message: read.message, location: file }];
  const errors = schemaErrors(read.data, schema).slice(0, SHOWN);
  return errors.map(({ pointer, message }) => {
    const line = runWithTimeout(PARSE_MS, () => lineOf(read.text, pointer));
    return {
      message: `${pointer || "the document"}: ${message}`,
      location: line === undefined ? file : `${file}:${line}`,
    };
  });
}

async function readData(
  dir: string,
  file: string,
): Promise<{ readonly text: string; readonly data: unknown }> {
  const text = (await readInside(dir, file, DATA_BYTES)).toString("utf8");
  return { text, data: runWithTimeout(PARSE_MS, () => parseData(file, text)) };
}
