// Syntax highlighting of code lines. A separate chunk, loaded with the first diff.
import { common, createLowlight } from "lowlight";

export interface Word {
  readonly text: string;
  /** Class name from the grammar, never from the text. */
  readonly kind?: string;
}

const lowlight = createLowlight(common);

const BY_NAME: Readonly<Record<string, string>> = { makefile: "makefile", dockerfile: "bash" };
const BY_ENDING: Readonly<Record<string, string>> = {
  mts: "typescript",
  cts: "typescript",
  vue: "xml",
  svelte: "xml",
  hbs: "xml",
  lock: "yaml",
};

/** The language by file extension; undefined if unknown. */
export function languageOf(path: string): string | undefined {
  const name = path.toLowerCase().split("/").at(-1) ?? "";
  const ending = name.includes(".") ? (name.split(".").at(-1) ?? "") : "";
  const language = BY_NAME[name] ?? BY_ENDING[ending] ?? ending;
  return language !== "" && lowlight.registered(language) ? language : undefined;
}

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

/** The leaves of the syntax tree, each with its innermost class. */
function* words(nodes: readonly Node[], kind?: string): Generator<Word> {
  for (const node of nodes) {
    if (node.type === "text") yield kind === undefined ? { text: node.value } : { text: node.value, kind };
    else if (node.type === "element") {
      const names = node.properties.className;
      const own = Array.isArray(names) ? names.join(" ") : kind;
      yield* words(node.children as readonly Node[], own);
    }
  }
}

/** The words of each line; comments and strings may span lines. */
export function highlighted(lines: readonly string[], language: string): readonly (readonly Word[])[] {
  const rows: Word[][] = [[]];
  for (const word of words(lowlight.highlight(language, lines.join("\n")).children)) {
    for (const [at, text] of word.text.split("\n").entries()) {
      if (at > 0) rows.push([]);
      if (text !== "") rows.at(-1)?.push({ ...word, text });
    }
  }
  return rows;
}
