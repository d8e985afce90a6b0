// Parses a line of shell into pipelines and the operators that join them. Respects quotes, substitutions and
// redirections; constructs that need a full parser (loops, groups, heredocs) are only searched for pipes.

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

const KEYWORDS = new Set(
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
function skipNested(text: string, start: number, open: string, close: string): number {
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
  if (text[start + 1] === "(") return skipNested(text, start + 2, "(", ")") - start;
  return text[start + 1] === "{" ? skipNested(text, start + 2, "{", "}") - start : 0;
}

interface Token {
  readonly text: string;
  readonly kind: "text" | "pipe" | "operator" | "beyond";
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
  if (char === "'" || char === '"') return { kind: "text", text: text.slice(at, skipQuoted(text, at)) };
  if (char === "\\") return { kind: "text", text: text.slice(at, at + 2) };
  const expansion = skipExpansion(text, at);
  if (expansion > 0) return { kind: "text", text: text.slice(at, at + expansion) };
  const redirection = matchAt(REDIRECTION, text, at);
  if (redirection) return { kind: "text", text: redirection };
  const beyond = matchAt(BEYOND, text, at);
  if (beyond) return { kind: "beyond", text: beyond };
  const operator = matchAt(OPERATOR, text, at);
  if (operator === "|" || operator === "|&") return { kind: "pipe", text: operator };
  return operator ? { kind: "operator", text: operator } : { kind: "text", text: char };
}

const isComplex = (stage: string): boolean =>
  KEYWORDS.has(stage.split(/\s/)[0] ?? "") || /(?:^|\s)#/.test(stage.replace(/'[^']*'|"[^"]*"/g, ""));

export function readShellList(line: string): ShellList {
  const pipelines: { stages: string[]; operator?: ListOperator }[] = [{ stages: [""] }];
  let hasPipe = false;
  let isSimple = true;
  const stages = () => pipelines.at(-1)?.stages ?? [];
  const isEmpty = () => stages().at(-1)?.trim() === "";
  for (let at = 0; at < line.length; ) {
    const { kind, text } = nextToken(line, at);
    at += text.length;
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
