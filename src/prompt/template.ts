// Prompt templates: Handlebars whose variables are all plain texts. Values go in literally.
import Handlebars from "handlebars";

/** What every prompt template may say. */
export const BUILT_IN_VARIABLES: readonly string[] = [
  "task",
  "feedback",
  "progress",
  "iteration",
  "max-iterations",
  "promise",
  "run",
  "gates",
];

/** What the feedback template of a gate may say. */
export const FEEDBACK_VARIABLES: readonly string[] = ["gate", "summary", "failures", "output"];

// Words of the language itself.
const RESERVED = [
  "if",
  "unless",
  "each",
  "with",
  "lookup",
  "log",
  "else",
  "this",
  "true",
  "false",
  "null",
  "undefined",
];

/** Whether a template can say `{{name}}` and mean a variable. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][\w-]*$/.test(name) && !RESERVED.includes(name);
}

// An instance of its own: helpers that others register on the shared one must not reach prompts.
const engine = Handlebars.create();

// A run renders the same few templates in every iteration, and compiling costs more than filling in.
const compiled = new Map<string, HandlebarsTemplateDelegate>();
const MOST_COMPILED = 50;

function compile(text: string): HandlebarsTemplateDelegate {
  const found = compiled.get(text);
  if (found) return found;
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  const made = engine.compile(text, { noEscape: true, strict: true, knownHelpersOnly: true });
  compiled.set(text, made);
  return made;
}

/** Values go in literally: they are never escaped, and never read as templates. */
export function render(text: string, values: Readonly<Record<string, unknown>>): string {
  return compile(text)(values);
}
