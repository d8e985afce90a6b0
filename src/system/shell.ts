// The one lexer and quoter for shell command lines. Respects quotes, substitutions and redirections; constructs that need a
// full parser (loops, groups, heredocs) are only searched for pipes and words. Makefiles, justfiles and the typographic
// quotes of /ralph arguments have grammars of their own, in classify/parts and hooks.

export type ListOperator = "&&" | "||" | ";" | "&";

export interface Pipeline {
  /** Stages as written, in order; a single one when nothing is piped. */
  readonly stages: readonly string[];
  /** The operator before the pipeline; absent for the first. */
  readonly operator?: ListOperator;
}

export interface ShellList {
  readonly pipelines: readonly Pipeline[];
  /** The operator after the last pipeline, if any. */
  readonly trailing?: ListOperator;
  readonly hasPipe: boolean;
  /** Whether the pipelines cover the whole line: no groups, loops, comments or heredocs. */
  readonly isSimple: boolean;
}

const COMPLEX_KEYWORDS = new Set(
  "if then else elif fi for while until do done case esac in select function coproc [[ { } ! time".split(" "),
);

/** Returns the position after a quoted text, or after the end of the line when the quote is not closed. */
function skipQuoted(text: string, start: number): number {
  const quote = text[start];
  let at = start + 1;
  while (at < text.length && text[at] !== quote) {
    if (quote === "'" || text[at] !== "\\") at += quote === '"' ? skipExpansion(text, at) || 1 : 1;
    else at += 2;
  }
  return at + 1;
}

/** Returns the position after the bracket that closes the one just before `start`. */
function skipNested(text: string, start: number): number {
  const open = text[start - 1];
  const close = open === "(" ? ")" : "}";
  let depth = 1;
  let at = start;
  while (at < text.length && depth > 0) {
    const char = text[at];
    if (char === open) depth += 1;
    if (char === close) depth -= 1;
    const isQuote = char === "'" || char === '"';
    at = isQuote ? skipQuoted(text, at) : at + (skipExpansion(text, at) || (char === "\\" ? 2 : 1));
  }
  return at;
}

/** Returns the length of a `$(…)`, `${…}` or backquoted command at `start`; 0 when there is none. */
function skipExpansion(text: string, start: number): number {
  if (text[start] === "`") return skipQuoted(text, start) - start;
  if (text[start] !== "$") return 0;
  return /[({]/.test(text[start + 1] ?? "") ? skipNested(text, start + 2) - start : 0;
}

interface Token {
  readonly text: string;
  readonly kind: "text" | "quoted" | "escaped" | "expansion" | "pipe" | "operator" | "beyond";
}

/** Redirections contain operators: `2>&1`, `>|file`, `&>file`. */
const REDIRECTION = /(?:[<>]&|>\||&>>?)/y;
const OPERATOR = /&&|\|\||\|&|[|;&\n]/y;
/** Groups, functions, heredocs, case branches. */
const BEYOND = /;;|<<|[()]/y;

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function nextToken(text: string, at: number): Token {
  const char = text[at] ?? "";
  if (char === "'" || char === '"') return { kind: "quoted", text: text.slice(at, skipQuoted(text, at)) };
  if (char === "\\") return { kind: "escaped", text: text.slice(at, at + 2) };
  const expansion = skipExpansion(text, at);
  if (expansion > 0) return { kind: "expansion", text: text.slice(at, at + expansion) };
  const redirection = matchAt(REDIRECTION, text, at);
  if (redirection) return { kind: "text", text: redirection };
  const beyond = matchAt(BEYOND, text, at);
  if (beyond) return { kind: "beyond", text: beyond };
  const operator = matchAt(OPERATOR, text, at);
  if (operator === "|" || operator === "|&") return { kind: "pipe", text: operator };
  return operator ? { kind: "operator", text: operator } : { kind: "text", text: char };
}

function* tokensOf(text: string): Generator<Token> {
  for (let at = 0; at < text.length; ) {
    const token = nextToken(text, at);
    yield token;
    at += token.text.length;
  }
}

const isComplex = (stage: string): boolean =>
  COMPLEX_KEYWORDS.has(stage.split(/\s/)[0] ?? "") || /(?:^|\s)#/.test(stage.replace(/'[^']*'|"[^"]*"/g, ""));

export function readShellList(line: string): ShellList {
  const pipelines: { stages: string[]; operator?: ListOperator }[] = [{ stages: [""] }];
  let hasPipe = false;
  let isSimple = true;
  const stages = () => pipelines.at(-1)?.stages ?? [];
  const isEmpty = () => stages().at(-1)?.trim() === "";
  for (const { kind, text } of tokensOf(line)) {
    if (kind === "pipe") {
      hasPipe = true;
      isSimple &&= text === "|" && !isEmpty();
      stages().push("");
    } else if (kind === "operator") {
      // A line break after an operator, or at the end, separates nothing.
      if (text === "\n" && isEmpty()) continue;
      isSimple &&= !isEmpty();
      pipelines.push({ stages: [""], operator: text === "\n" ? ";" : (text as ListOperator) });
    } else {
      isSimple &&= kind !== "beyond";
      stages().push((stages().pop() ?? "") + text);
    }
  }
  const last = isEmpty() && pipelines.length > 1 ? pipelines.pop() : undefined;
  const trimmed = pipelines.map(({ stages: parts, ...rest }) => ({
    ...rest,
    stages: parts.map((part) => part.trim()),
  }));
  const parts = trimmed.flatMap((pipeline) => pipeline.stages);
  return {
    pipelines: trimmed,
    ...(last?.operator && { trailing: last.operator }),
    hasPipe,
    isSimple: isSimple && parts.every((part) => part !== "" && !isComplex(part)),
  };
}

/** Nested commands: only the whole line can be allowed as it is. */
const NESTED = /[`()]/;

/** Splits a line into its commands as written, because CLIs check permissions for each: `cd web && npm test | tail` gives three. */
export function splitCommands(line: string): string[] {
  if (NESTED.test(line)) return [line.trim()];
  const stages = readShellList(line).pipelines.flatMap((pipeline) => pipeline.stages);
  return stages.filter((stage) => stage !== "");
}

/** Removes redirections from a command. */
export function withoutRedirections(command: string): string {
  return command.replace(/\s*\d*(?:>>?|<)\s*(?:&\d|[^\s<>&]+)/g, "").trim();
}

function unquote({ kind, text }: Token): string {
  if (kind === "escaped") return text.slice(1);
  if (kind !== "quoted") return text;
  const quote = text[0] ?? "";
  const inner = text.slice(1, text.length > 1 && text.endsWith(quote) ? -1 : undefined);
  return quote === "'" ? inner : inner.replace(/\\(["\\$`])/g, "$1");
}

/** The commands of a `$(…)` or backquoted command. */
const insideOf = (expansion: string): string[][] =>
  splitWords(expansion.startsWith("$(") ? expansion.slice(2, -1) : expansion.slice(1, -1));

/** Splits a text into commands, and each into unquoted words. A substitution counts as commands of its own. */
export function splitWords(text: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (const token of tokensOf(text)) {
    const isSubstitution = token.kind === "expansion" && !token.text.startsWith("${");
    const isSeparator =
      token.kind === "pipe" || token.kind === "operator" || /^(?:;;|[()])$/.test(token.text);
    if (isSubstitution || isSeparator) {
      endWord();
      commands.push(...(isSubstitution ? insideOf(token.text) : []), []);
    } else if (token.kind === "text" && /^\s$/.test(token.text)) endWord();
    else word = (word ?? "") + unquote(token);
  }
  endWord();
  return commands.filter((words) => words.length > 0);
}

const MAX_CHARS = 20_000;
const MAX_DEPTH = 3;

/**
 * Splits a command into simple commands of unquoted words. A string is a shell command, a list is a program with its
 * arguments. Words that contain spaces may be commands themselves, as in `sh -c "npm test"`, so they follow as such.
 */
export function commandsIn(command: string | readonly string[], depth = 0): string[][] {
  if (depth > MAX_DEPTH) return [];
  const commands = typeof command === "string" ? splitWords(command.slice(0, MAX_CHARS)) : [[...command]];
  return commands.flatMap((words) => [
    words,
    ...words.filter((word) => /\s/.test(word)).flatMap((word) => commandsIn(word, depth + 1)),
  ]);
}

/** Shell builtins and keywords: words that name no program. */
export const shellBuiltins: ReadonlySet<string> = new Set(
  (
    ". : [ alias bg break builtin case cd chdir command continue declare do done echo elif else esac eval exec exit export " +
    "false fc fg fi for function getopts hash if jobs kill let local printf pwd read readonly return select set shift " +
    "source test then time times trap true type typeset ulimit umask unalias unset until wait while"
  ).split(" "),
);

/**
 * Splits a command that means the same without a shell into words; undefined when it needs one. Most do not, and starting a
 * shell costs more than starting git.
 */
export function plainWords(command: string): readonly string[] | undefined {
  if (!/^[\w./:@%+,-][\w./:@%+,=-]*(?: +[\w./:@%+,=-]+)*$/.test(command)) return undefined;
  const words = command.split(/ +/);
  const [first = ""] = words;
  return shellBuiltins.has(first) || first.includes("=") ? undefined : words;
}

/** Quotes a text as one literal shell word; a text without special characters stays as it is. */
export function quoteWord(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
