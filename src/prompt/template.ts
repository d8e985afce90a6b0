// Renders prompt templates with Handlebars. All variables are plain text.
import Handlebars from "handlebars";

/** Variables of every prompt template. */
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

/** Variables of a gate's feedback template. */
export const FEEDBACK_VARIABLES: readonly string[] = ["gate", "summary", "failures", "output"];

// Keywords and helpers of Handlebars.
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

/** Whether `{{name}}` in a template can refer to a variable. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][\w-]*$/.test(name) && !RESERVED.includes(name);
}

// Private instance: helpers registered on the global one must not reach prompts.
const engine = Handlebars.create();

// Cache: a run renders the same few templates in every iteration, and compiling costs more than rendering.
const compiled = new Map<string, HandlebarsTemplateDelegate>();
const MAX_COMPILED = 50;

function compile(text: string): HandlebarsTemplateDelegate {
  const cached = compiled.get(text);
  if (cached) return cached;
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  const template = engine.compile(text, { noEscape: true, strict: true, knownHelpersOnly: true });
  compiled.set(text, template);
  return template;
}

/** Inserts values literally: they are never escaped and never parsed as templates. */
export function render(text: string, values: Readonly<Record<string, unknown>>): string {
  return compile(text)(values);
}
