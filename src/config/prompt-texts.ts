// Reads the prompt and the template of a task, and validates template variables.
import path from "node:path";
import { checkTemplate } from "#prompt/check-template";
import { BUILT_IN_VARIABLES, FEEDBACK_VARIABLES, isVariableName } from "#prompt/template";
import type { Task } from "#spec/task";
import { child, type Located, type TaskReader, textOf } from "./located.ts";
import { readText } from "./yaml-source.ts";

interface TextReader extends TaskReader {
  /** Receives the files that are read. */
  readonly sources: string[];
  /** Name of a file in messages. */
  nameOf(file: string): string;
}

/** Reads the file that the key names; undefined without such a key, or when there is a problem. */
async function readKeyFile(key: string, { tree, problems, sources, nameOf }: TextReader) {
  const node = child(tree, key);
  const name = textOf(node);
  if (node === undefined || name === undefined || name.trim() === "") return undefined;
  const file = path.resolve(node.dir, name);
  const read = await readText(file);
  if (read.ok) {
    sources.push(file);
    return { node, file, text: read.text };
  }
  problems.add(node.valueAt, `${key}: ${nameOf(file)}: ${read.reason}`);
  return undefined;
}

export async function readPrompt(reader: TextReader): Promise<string | undefined> {
  const { tree, problems, nameOf } = reader;
  const inlinePrompt = child(tree, "prompt");
  const file = child(tree, "promptFile");
  if (inlinePrompt !== undefined && file !== undefined)
    problems.add(file.keyAt, "prompt and promptFile are both set; remove one of them");
  const read = await readKeyFile("promptFile", reader);
  if (read !== undefined && read.text.trim() === "")
    problems.add(read.node.valueAt, `promptFile: ${nameOf(read.file)} is empty; write the prompt into it`);
  return textOf(inlinePrompt) ?? read?.text;
}

export async function readTemplate(reader: TextReader): Promise<Task["template"]> {
  const { tree, problems, nameOf } = reader;
  const read = await readKeyFile("template", reader);
  if (read === undefined) return undefined;
  const known = [...BUILT_IN_VARIABLES, ...ownNames(tree, "vars"), ...ownNames(tree, "files")];
  const name = nameOf(read.file);
  for (const { line, column, message } of checkTemplate(read.text, known))
    problems.add(`${name}:${line}:${column}`, message);
  return { name, text: read.text };
}

/** Validates feedback templates of gates. Lines and columns count within the template, which is part of the task file. */
export function checkFeedbackTemplates({ tree, problems }: TaskReader): void {
  const gates = child(tree, "gates");
  for (const [index, gate] of (gates?.kind === "list" ? gates.items : []).entries()) {
    const node = child(child(child(gate, "onFailure"), "feedback"), "template");
    for (const { line, column, message } of checkTemplate(textOf(node) ?? "", FEEDBACK_VARIABLES))
      problems.add(
        node?.valueAt ?? gate.valueAt,
        `gates[${index}].onFailure.feedback.template: line ${line}, column ${column}: ${message}`,
      );
  }
}

function ownNames(tree: Located, key: string): readonly string[] {
  const node = child(tree, key);
  return node?.kind === "map" ? [...node.entries.keys()] : [];
}

/** Rejects variable names that hide a built-in variable or each other. */
export function checkVariableNames({ tree, problems }: TaskReader): void {
  const fileVariables = new Set(ownNames(tree, "files"));
  for (const key of ["vars", "files"])
    for (const name of ownNames(tree, key)) {
      const at = child(child(tree, key), name)?.keyAt ?? key;
      if (BUILT_IN_VARIABLES.includes(name))
        problems.add(
          at,
          `${key}.${name}: this name is reserved; choose another (built in: ${BUILT_IN_VARIABLES.join(", ")})`,
        );
      else if (!isVariableName(name))
        problems.add(
          at,
          `${key}: expected a name of letters, digits, - and _ that is not a template keyword, got "${name}"`,
        );
      else if (key === "vars" && fileVariables.has(name))
        problems.add(at, `vars.${name}: files has a variable of the same name; rename one of them`);
    }
}
