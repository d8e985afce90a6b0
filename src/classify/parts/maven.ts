// Parses what decides how Maven runs tests: Surefire and Failsafe, their properties, test folders, packaging, modules.
import { acceptsMoreWords, type Piece, type ReadPieces, withoutBlanks } from "./piece.ts";

interface Element {
  readonly name: string;
  readonly start: number;
  end: number;
  readonly children: Element[];
  /** The text between its tags, without comments. */
  text: string;
}

const TOKEN =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<[?!][^>]*>|<(\/?)([\w:.-]+)[^<>]*?(\/?)>/g;

/** Depth limit: deeper elements count as text of their parent. Real projects do not nest that deep. */
const MOST_DEPTH = 40;

/** Parses XML into elements. An unclosed element extends to the end of the text. */
function parse(text: string): Element {
  const root: Element = { name: "", start: 0, end: text.length, children: [], text: "" };
  const open: Element[] = [root];
  let at = 0;
  const append = (content: string) => {
    for (const one of open) one.text += content;
  };
  const close = (name: string, end: number) => {
    const depth = open.findLastIndex((one) => one.name === name);
    for (const one of depth > 0 ? open.splice(depth) : []) one.end = end;
  };
  for (const { 0: token, 1: slash, 2: name, 3: empty, index } of text.matchAll(TOKEN)) {
    append(text.slice(at, index));
    at = index + token.length;
    if (name === undefined) {
      if (token.startsWith("<![CDATA[")) append(token);
      continue;
    }
    if (slash) close(name, at);
    append(token);
    if (slash || open.length > MOST_DEPTH) continue;
    const element: Element = { name, start: index, end: text.length, children: [], text: "" };
    open.at(-1)?.children.push(element);
    if (empty) element.end = at;
    else open.push(element);
  }
  return root;
}

const RUNNER = /^(?:maven-(?:surefire|failsafe)-plugin|tycho-surefire-plugin|scalatest-maven-plugin)$/;
/** Properties that Surefire and Failsafe read implicitly. */
const PROPERTY =
  /^(?:skipTests|skipITs|test|it\.test|groups|excludedGroups|argLine|failIfNoTests|(?:maven\.test|surefire|failsafe)\..+)$/;
const ELEMENT = /^(?:testSourceDirectory|testOutputDirectory|testResources|testExcludes|testIncludes)$/;

/** Removes white space that XML formatters add or remove. */
const tidy = (text: string): string => withoutBlanks(text).replace(/ ?(<[^>]*>) ?/g, "$1");

const contentOf = ({ children }: Element, name: string): string =>
  withoutBlanks(children.find((one) => one.name === name)?.text ?? "");

/** The path segment of an element; profiles are distinguished by their id. */
const stepOf = (element: Element): string =>
  element.name === "profile" ? `profile ${contentOf(element, "id")}` : element.name;

const isRunner = (element: Element): boolean =>
  element.name === "plugin" && RUNNER.test(contentOf(element, "artifactId"));

/** Names of properties that the settings of the runners refer to. */
function referredTo(element: Element): string[] {
  if (isRunner(element)) return [...element.text.matchAll(/\$\{([\w.-]+)\}/g)].map(([, name = ""]) => name);
  return element.children.flatMap(referredTo);
}

export const readMavenTests: ReadPieces = (text) => {
  const root = parse(text);
  const referred = new Set(referredTo(root));
  const piecesOf = (element: Element, path: string): Piece[] => {
    const { name, start, end, children } = element;
    const own = path === "" ? stepOf(element) : `${path} ${stepOf(element)}`;
    const piece = { key: own, text: tidy(element.text), start, end };
    if (isRunner(element)) return [{ ...piece, key: `${own} ${contentOf(element, "artifactId")}` }];
    // A project with packaging `pom` runs no tests.
    if (ELEMENT.test(name) || (name === "packaging" && piece.text === "pom")) return [piece];
    if (path.endsWith("properties") && (PROPERTY.test(name) || referred.has(name))) return [piece];
    // Removing a module removes its tests; adding one is allowed.
    if (name === "modules") {
      const modules = children.map((one) => withoutBlanks(one.text.replace(/<[^>]*>/g, ""))).join("\n");
      return [{ ...piece, text: modules, accepts: acceptsMoreWords(modules), mayCome: true }];
    }
    return children.flatMap((one) => piecesOf(one, own));
  };
  return root.children.flatMap((one) => piecesOf(one, ""));
};
