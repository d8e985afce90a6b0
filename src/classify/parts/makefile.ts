// Parses makefiles: rules with their recipes, and variables. Does not evaluate conditionals and functions.
import { acceptsMoreWords, type Piece, type ReadPieces, withoutBlanks } from "./piece.ts";

interface Item {
  readonly kind: "rule" | "variable" | "directive";
  readonly names: readonly string[];
  /** Prerequisites of a rule, value of a variable, the line of a directive. */
  readonly value: string;
  recipe: string;
  readonly start: number;
  end: number;
}

const VARIABLE = /^\s*(?:(?:export|override|private)\s+)*([\w.-]+)\s*(?:::?:?=|[?+!]?=)\s*(.*)$/s;
const DEFINE = /^\s*(?:override\s+)?define\s+([\w.-]+)/;
const RULE = /^([^\s:=#][^:=#]*?)\s*::?(?!=)(.*)$/s;
const DIRECTIVE = /^\s*(?:-?include|sinclude|export\s+PATH)\b|\$[({]eval\b/;

/** Lines joined with their continuation lines, with start and end offsets. */
function* logicalLines(text: string): Generator<{ line: string; start: number; end: number }> {
  const pattern = /(?:\\\n|[^\n])*(?:\n|$)/g;
  for (const { 0: raw, index } of text.matchAll(pattern))
    if (raw !== "") yield { line: raw.replace(/\n$/, ""), start: index, end: index + raw.length };
}

function itemOf(line: string, start: number, end: number): Item | undefined {
  const joined = line.replace(/\\\n\s*/g, " ").replace(/(^|\s)#.*$/, "");
  const base = { recipe: "", start, end };
  const variable = VARIABLE.exec(joined);
  if (variable) return { ...base, kind: "variable", names: [variable[1] ?? ""], value: variable[2] ?? "" };
  if (DIRECTIVE.test(joined)) return { ...base, kind: "directive", names: ["include"], value: joined };
  const rule = RULE.exec(joined);
  if (!rule) return undefined;
  return { ...base, kind: "rule", names: (rule[1] ?? "").split(/\s+/), value: rule[2] ?? "" };
}

const isNoItem = (line: string): boolean => /^\s*(?:#|$|ifn?(?:eq|def)\b|else\b|endif\b)/.test(line);

/** Parses the items. A `define` is a variable up to `endef`; recipe lines belong to the rule before them. */
function makeItems(text: string): readonly Item[] {
  const items: Item[] = [];
  let open: Item | undefined;
  let isDefine = false;
  for (const { line, start, end } of logicalLines(text)) {
    if (open && (isDefine || line.startsWith("\t"))) {
      Object.assign(open, { recipe: `${open.recipe}${line}\n`, end });
      if (isDefine && /^\s*endef\b/.test(line)) isDefine = false;
      continue;
    }
    if (isNoItem(line)) continue;
    const define = DEFINE.exec(line)?.[1];
    isDefine = define !== undefined;
    const item: Item | undefined = isDefine
      ? { kind: "variable", names: [define ?? ""], value: "", recipe: "", start, end }
      : itemOf(line, start, end);
    open = isDefine || item?.kind === "rule" ? item : undefined;
    if (item) items.push(item);
  }
  return items;
}

const BUILT = /\.(?:o|a|so|obj|d|lo|la|dylib|dll|gch)$/;
const LISTS = /tests?|checks?|specs?/i;
const ALWAYS =
  /^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|GNUMAKEFLAGS|\.DEFAULT_GOAL|XFAIL_TESTS|(?:AM_)?TESTS_ENVIRONMENT|\w*LOG_(?:COMPILER|DRIVER))$/;
const AUTOMAKE = /^(?:TESTS|check_[A-Z]+)$/;
const SPECIAL = /^\.(?:IGNORE|ONESHELL|DEFAULT|SILENT|POSIX|RECIPEPREFIX)$/;

/** Replaces references to simple variables with their values. */
function expand(text: string, items: readonly Item[], depth = 0): string {
  if (depth > 3) return text;
  return text.replace(/\$[({]([\w.-]+)[)}]/g, (whole, name: string) => {
    if (name === "MAKE") return "make";
    const found = items.filter(({ kind, names }) => kind === "variable" && names[0] === name);
    return found.length === 0 ? whole : expand(found.map(({ value }) => value).join(" "), items, depth + 1);
  });
}

function defaultTarget(items: readonly Item[]): string {
  const goal = items.find(({ names }) => names[0] === ".DEFAULT_GOAL")?.value.trim();
  const first = items.find(({ kind, names }) => kind === "rule" && !/^\.|%/.test(names[0] ?? ""));
  return goal || (first?.names[0] ?? "");
}

/** The target and the targets it depends on, without compiled files. */
function reachedTargets(items: readonly Item[], target: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (name: string): void => {
    const rules = items.filter(({ kind, names }) => kind === "rule" && names.includes(name));
    if (reached.has(name) || rules.length === 0) return;
    reached.add(name);
    for (const { value } of rules)
      for (const word of expand(value, items).split(/[\s|]+/)) if (!BUILT.test(word)) visit(word);
  };
  visit(target);
  return reached;
}

/** The shell commands of a target and its dependencies. */
export function recipeCommands(text: string, target: string): readonly string[] {
  const items = makeItems(text);
  const reached = reachedTargets(items, target || defaultTarget(items));
  return items
    .filter(({ kind, names }) => kind === "rule" && names.some((name) => reached.has(name)))
    .map(({ recipe, value }) => {
      const inline = value.includes(";") ? value.slice(value.indexOf(";") + 1) : "";
      const lines = `${inline}\n${recipe}`.replace(/\\\n/g, " ").replace(/^[\t @+-]+/gm, "");
      return expand(lines, items).replaceAll("$$", "$").trim();
    })
    .filter(Boolean);
}

/** Variables that recipes use as a command, and variables that list tests. */
function variablesIn(rules: readonly Item[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { recipe, value } of rules) {
    for (const [, name = ""] of recipe.matchAll(/(?:^|[;&|])[\t @+-]*(?:\w+=\S*\s+)*\$[({]([\w.-]+)[)}]/gm))
      found.add(name);
    for (const [, name = ""] of `${recipe} ${value}`.matchAll(/\$[({]([\w.-]+)[)}]/g))
      if (LISTS.test(name)) found.add(name);
  }
  return found;
}

function rulePiece({ names, value, recipe, start, end }: Item, target: string): Piece {
  const text = `${value.trim()}\n${recipe.trimEnd()}`;
  const before = value.trim();
  const accepts = (now: string) => {
    const [prerequisites = "", ...rest] = now.split("\n");
    return rest.join("\n") === recipe.trimEnd() && acceptsMoreWords(before)(prerequisites);
  };
  const isExact = /[;=]/.test(value) || names.length > 1;
  return { key: `target ${target}`, text, start, end, ...(!isExact && { accepts }) };
}

/** A variable that decides what runs, or a list of tests, to which words may be added. */
function variablePiece({ names: [name = ""], value, recipe, start, end }: Item): Piece {
  const text = withoutBlanks(value + recipe);
  const isList = !ALWAYS.test(name) && (LISTS.test(name) || AUTOMAKE.test(name));
  return { key: `variable ${name}`, text, start, end, ...(isList && { accepts: acceptsMoreWords(text) }) };
}

function pieceOf(item: Item, items: readonly Item[], reached: ReadonlySet<string>): Piece | undefined {
  const [first = ""] = item.names;
  const { start, end, value } = item;
  if (item.kind === "directive") return { key: "include", text: value.trim(), start, end };
  if (item.kind === "variable") return variablePiece(item);
  if (first === ".PHONY") {
    const phony = expand(value, items)
      .split(/\s+/)
      .filter((one) => reached.has(one));
    return phony.length === 0 ? undefined : { key: first, text: phony.sort().join(" "), start, end };
  }
  if (SPECIAL.test(first)) return { key: first, text: value.trim(), start, end };
  const target = item.names.find((one) => reached.has(one));
  return target === undefined ? undefined : rulePiece(item, target);
}

/** The recipes and prerequisites of a target and its dependencies, with the variables that decide what runs. */
export const readMakeTarget: ReadPieces = (text, name) => {
  const items = makeItems(text);
  const goal = name || defaultTarget(items);
  const reached = reachedTargets(items, goal);
  const rules = items.filter(({ kind, names }) => kind === "rule" && names.some((one) => reached.has(one)));
  const variables = variablesIn(rules);
  const matters = ({ kind, names: [first = ""] }: Item) =>
    kind !== "variable" || variables.has(first) || ALWAYS.test(first) || AUTOMAKE.test(first);
  const pieces = items.filter(matters).flatMap((item) => pieceOf(item, items, reached) ?? []);
  return name === "" ? [...pieces, { key: "default target", text: goal, start: 0, end: 0 }] : pieces;
};
