// Parses justfiles: recipes with their dependencies and bodies, settings and variables.
import { acceptsMoreWords, type Piece, type ReadPieces, withoutBlanks } from "./piece.ts";

interface Recipe {
  readonly name: string;
  readonly dependencies: string;
  body: string;
  readonly start: number;
  end: number;
}

interface Justfile {
  readonly recipes: readonly Recipe[];
  readonly settings: readonly Piece[];
  readonly variables: ReadonlyMap<string, Piece>;
}

const RECIPE = /^@?([A-Za-z_][\w-]*)(?:\s[^:=]*)?:(?!=)\s*(.*)$/;
const VARIABLE = /^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.*)$/;
const SETTING = /^(?:set|import|mod)\b.*$/;

function parse(text: string): Justfile {
  const recipes: Recipe[] = [];
  const settings: Piece[] = [];
  const variables = new Map<string, Piece>();
  let open: Recipe | undefined;
  for (const { 0: raw, index: start } of text.matchAll(/[^\n]*(?:\n|$)/g)) {
    const line = raw.trimEnd();
    const end = start + raw.length;
    if (/^[ \t]/.test(line) || line === "") {
      if (open && line !== "") Object.assign(open, { body: `${open.body}${line}\n`, end });
      continue;
    }
    const [, variable = "", value = ""] = VARIABLE.exec(line) ?? [];
    const [, name, dependencies = ""] = RECIPE.exec(line) ?? [];
    open = undefined;
    if (SETTING.test(line)) settings.push({ key: "set", text: withoutBlanks(line), start, end });
    else if (variable) variables.set(variable, { key: `variable ${variable}`, text: value, start, end });
    else if (name) {
      open = { name, dependencies, body: "", start, end };
      recipes.push(open);
    }
  }
  return { recipes, settings, variables };
}

function reached({ recipes }: Justfile, target: string): Recipe[] {
  const names = new Set<string>();
  const visit = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    for (const { name: own, dependencies } of recipes)
      if (own === name) for (const word of dependencies.split(/[\s()&]+/)) visit(word);
  };
  visit(target || (recipes[0]?.name ?? ""));
  return recipes.filter(({ name }) => names.has(name));
}

/** The shell commands of a recipe and of its dependencies. */
export function justCommands(text: string, target: string): readonly string[] {
  const file = parse(text);
  const expand = (body: string) =>
    body.replace(/\{\{\s*([\w-]+)\s*\}\}/g, (whole, name: string) => {
      const value = file.variables.get(name)?.text;
      return value === undefined ? whole : value.replace(/^(["'])(.*)\1$/, "$2");
    });
  return reached(file, target).map(({ body }) => expand(body.replace(/^[ \t@-]+/gm, "")).trim());
}

export const readJustRecipe: ReadPieces = (text, name) => {
  const file = parse(text);
  const recipes = reached(file, name);
  const used = new Set(
    recipes.flatMap(({ body }) => [...body.matchAll(/\{\{\s*([\w-]+)\s*\}\}/g)].map(([, one = ""]) => one)),
  );
  const pieces = recipes.map(({ name: own, dependencies, body, start, end }): Piece => {
    const accepts = (now: string) => {
      const [first = "", ...rest] = now.split("\n");
      return rest.join("\n") === body && acceptsMoreWords(dependencies)(first);
    };
    return { key: `recipe ${own}`, text: `${dependencies}\n${body}`, start, end, accepts };
  });
  const variables = [...file.variables].filter(([one]) => used.has(one)).map(([, piece]) => piece);
  const first: Piece[] =
    name === "" ? [{ key: "default recipe", text: file.recipes[0]?.name ?? "", start: 0, end: 0 }] : [];
  return [...pieces, ...variables, ...file.settings, ...first];
};
