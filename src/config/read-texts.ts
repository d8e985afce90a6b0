// The texts of a task, frozen when it is read: the prompt, the template, and what the template may say.
import path from "node:path";
import { checkTemplate } from "#prompt/check-template";
import { BUILT_IN_VARIABLES, FEEDBACK_VARIABLES, isVariableName } from "#prompt/template";
import type { Task } from "#spec/task";
import { child, type Located, textOf } from "./located.ts";
import type { Problems } from "./problems.ts";
import { readText } from "./read-text.ts";

interface TextReading {
  readonly tree: Located;
  readonly problems: Problems;
  readonly sources: string[];
  /** A file's name in messages. */
  shown(file: string): string;
}

/** The content of the file that the key names; undefined when there is no such key, or a problem. */
async function fileText(key: string, { tree, problems, sources, shown }: TextReading) {
  const node = child(tree, key);
  const name = textOf(node);
  if (node === undefined || name === undefined || name.trim() === "") return undefined;
  const file = path.resolve(node.dir, name);
  const read = await readText(file);
  if (read.ok) {
    sources.push(file);
    return { node, file, text: read.text };
  }
  problems.add(node.valueAt, `${key}: ${shown(file)}: ${read.reason}`);
  return undefined;
}

export async function readPrompt(reading: TextReading): Promise<string | undefined> {
  const { tree, problems, shown } = reading;
  const written = child(tree, "prompt");
  const file = child(tree, "promptFile");
  if (written !== undefined && file !== undefined)
    problems.add(file.keyAt, "prompt and promptFile are both given; write one of them");
  const read = await fileText("promptFile", reading);
  if (read !== undefined && read.text.trim() === "")
    problems.add(read.node.valueAt, `promptFile: ${shown(read.file)} is empty; write what is wanted into it`);
  return textOf(written) ?? read?.text;
}

export async function readTemplate(reading: TextReading): Promise<Task["template"]> {
  const { tree, problems, shown } = reading;
  const read = await fileText("template", reading);
  if (read === undefined) return undefined;
  const known = [...BUILT_IN_VARIABLES, ...ownNames(tree, "vars"), ...ownNames(tree, "files")];
  const name = shown(read.file);
  for (const { line, column, message } of checkTemplate(read.text, known))
    problems.add(`${name}:${line}:${column}`, message);
  return { name, text: read.text };
}

/** Templates in the gates' own words: they stand in the task file, so the place is within that text. */
export function checkFeedbackTemplates(tree: Located, problems: Problems): void {
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

/** Names of the user's variables must not hide a built-in one, nor each other. */
export function checkVariableNames(tree: Located, problems: Problems): void {
  const inFiles = new Set(ownNames(tree, "files"));
  for (const key of ["vars", "files"])
    for (const name of ownNames(tree, key)) {
      const at = child(child(tree, key), name)?.keyAt ?? key;
      if (BUILT_IN_VARIABLES.includes(name))
        problems.add(
          at,
          `${key}.${name}: this name is built in (built in: ${BUILT_IN_VARIABLES.join(", ")})`,
        );
      else if (!isVariableName(name))
        problems.add(
          at,
          `${key}: expected a name of letters, digits, - and _ that is no template word, got "${name}"`,
        );
      else if (key === "vars" && inFiles.has(name)) problems.add(at, `vars.${name}: files has the same name`);
    }
}
