// Parses JSON and YAML files of the workspace and finds the line of a value.
import { isNode, parseDocument } from "yaml";

const isYaml = (file: string) => /\.ya?ml$/i.test(file);

/** Throws with the reason when the text does not match the file's extension. */
export function parseData(file: string, text: string): unknown {
  if (!isYaml(file)) return parseJson(file, text);
  const document = parseDocument(text, { logLevel: "silent" });
  const [problem] = document.errors;
  if (problem) throw new Error(`${file} is not YAML: ${problem.message.split("\n")[0]}`);
  return document.toJS();
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`);
  }
}

/** The line of the value at a JSON pointer, undefined when unknown. Parses JSON as YAML, its superset. */
export function lineOf(text: string, pointer: string): number | undefined {
  const keys = pointer.split("/").slice(1).map(decoded);
  const node = parseDocument(text, { logLevel: "silent" }).getIn(keys, true);
  const start = isNode(node) ? node.range?.[0] : undefined;
  return start === undefined ? undefined : text.slice(0, start).split("\n").length;
}

const decoded = (key: string) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~");
