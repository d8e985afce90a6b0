// Validates a prompt template before the run starts, by walking its AST, never by rendering it.
import Handlebars from "handlebars";
import { unknownName } from "#text/nearest-name";

export interface TemplateProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

interface Helpers {
  readonly names: readonly string[];
  /** Number of values that each of them takes. */
  readonly values: number;
}

const BLOCKS: Helpers = { names: ["if", "unless", "each", "with"], values: 1 };
const INLINE: Helpers = { names: ["lookup"], values: 2 };

/** Returns all problems of the template with their positions. `known` are the names of its variables. */
export function checkTemplate(text: string, known: readonly string[]): readonly TemplateProblem[] {
  let program: hbs.AST.Program;
  try {
    program = Handlebars.parse(text);
  } catch (error) {
    return [syntaxProblem(error as ParseFailure)];
  }
  const problems: TemplateProblem[] = [];
  const report: Report = ({ loc }, message) =>
    problems.push({ line: loc.start.line, column: loc.start.column + 1, message });
  checkProgram(program, { known, report, around: [] });
  return problems;
}

type Report = (node: hbs.AST.Node, message: string) => void;

interface Scope {
  readonly known: readonly string[];
  readonly report: Report;
  /** Enclosing blocks that change the meaning of a bare name, innermost first. */
  readonly around: readonly { readonly block: string; readonly params: readonly string[] }[];
}

function checkProgram(program: hbs.AST.Program | undefined, scope: Scope): void {
  for (const statement of program?.body ?? []) checkStatement(statement, scope);
}

function checkStatement(statement: hbs.AST.Statement, scope: Scope): void {
  if (statement.type === "MustacheStatement") checkMustache(statement as hbs.AST.MustacheStatement, scope);
  else if (statement.type === "BlockStatement") checkBlock(statement as hbs.AST.BlockStatement, scope);
  else if (statement.type !== "ContentStatement" && statement.type !== "CommentStatement")
    scope.report(statement, "partials and decorators are not supported in templates");
}

function checkMustache(mustache: hbs.AST.MustacheStatement, scope: Scope): void {
  const { path, params, hash } = mustache;
  const name = String((path as hbs.AST.PathExpression).original);
  const isCall = params.length > 0 || hash !== undefined || INLINE.names.includes(name);
  if (BLOCKS.names.includes(name)) scope.report(path, `"${name}" is a block: {{#${name} …}} … {{/${name}}}`);
  else if (isCall) checkCall(mustache as Call, INLINE, scope);
  else if (path.type === "PathExpression") checkVariable(path as hbs.AST.PathExpression, scope);
  else if (!scope.known.includes(name)) scope.report(path, unknownName("variable", name, scope.known));
}

/** Number of block parameters (`as |…|`) by helper. Other blocks do not change the meaning of names. */
const BLOCK_PARAMS: Readonly<Record<string, number>> = { each: 2, with: 1 };

function checkBlock(block: hbs.AST.BlockStatement, scope: Scope): void {
  const name = block.path.original;
  if (!checkCall(block, BLOCKS, scope)) return;
  const available = BLOCK_PARAMS[name];
  const params = (block.program?.blockParams ?? []).slice(0, available ?? 0);
  const around = available === undefined ? scope.around : [{ block: name, params }, ...scope.around];
  checkProgram(block.program, { ...scope, around });
  checkProgram(block.inverse, scope);
}

type Call = hbs.AST.Node & Pick<hbs.AST.SubExpression, "path" | "params" | "hash">;

function checkCall(call: Call, { names, values }: Helpers, scope: Scope): boolean {
  const name = String(call.path.original);
  if (!names.includes(name)) {
    scope.report(call.path, unknownName("helper", name, names));
    return false;
  }
  if (call.params.length !== values)
    scope.report(
      call,
      `"${name}" takes ${values === 1 ? "one value" : `${values} values`}, got ${call.params.length}`,
    );
  for (const value of [...call.params, ...(call.hash?.pairs ?? []).map((pair) => pair.value)])
    checkExpression(value, scope);
  return true;
}

function checkExpression(node: hbs.AST.Expression, scope: Scope): void {
  if (node.type === "PathExpression") checkVariable(node as hbs.AST.PathExpression, scope);
  else if (node.type === "SubExpression") checkCall(node as hbs.AST.SubExpression, INLINE, scope);
}

function checkVariable(path: hbs.AST.PathExpression, scope: Scope): void {
  const problem = path.data ? dataProblem(path, scope) : variableProblem(path, scope);
  if (problem !== undefined) scope.report(path, problem);
}

function variableProblem(path: hbs.AST.PathExpression, scope: Scope): string | undefined {
  const [name, ...parts] = path.parts;
  const { known, around } = scope;
  const block = around[path.depth]?.block;
  if (path.depth > around.length) return `there is nothing around for "${path.original}"`;
  if (name === undefined)
    return block ? undefined : `"${path.original}" means something only inside #each and #with`;
  const isParam = path.depth === 0 && around.some(({ params }) => params.includes(name));
  if (!isParam && !known.includes(name)) return unknownName("variable", name, known);
  if (!isParam && block !== undefined)
    return `"${name}" is not visible inside #${block}; write ${"../".repeat(around.length)}${name}`;
  return parts.length > 0 ? `"${name}" is a text and has no part "${parts.join(".")}"` : undefined;
}

/** Checks `@root.name` and the data variables of #each. */
function dataProblem(path: hbs.AST.PathExpression, { known, around }: Scope): string | undefined {
  const [name = "", variable, ...parts] = path.parts;
  if (name === "root" && variable !== undefined && parts.length === 0)
    return known.includes(variable) ? undefined : unknownName("variable", variable, known);
  const eaches = around.filter(({ block }) => block === "each").length;
  const available = eaches > path.depth ? ["index", "key", "first", "last"] : [];
  if (available.includes(name) && variable === undefined) return undefined;
  return unknownName("variable", path.original, ["@root.…", ...available.map((one) => `@${one}`)]);
}

type ParseFailure = Error & { readonly lineNumber?: number; readonly column?: number };

/** Handlebars' own errors have a position; for errors of its parser, the lexer has it. */
function syntaxProblem({ message, lineNumber, column }: ParseFailure): TemplateProblem {
  if (lineNumber !== undefined && column !== undefined)
    return { line: lineNumber, column: column + 1, message: message.replace(/ - \d+:\d+$/, "") };
  const { Parser } = Handlebars as {
    Parser?: { lexer?: { yylloc?: { first_line: number; first_column: number } } };
  };
  const place = Parser?.lexer?.yylloc;
  const line = place?.first_line ?? Number(/on line (\d+)/.exec(message)?.[1] ?? 1);
  return { line, column: (place?.first_column ?? 0) + 1, message: syntaxMessage(message) };
}

function syntaxMessage(message: string): string {
  const got = /got '(\w+)'\s*$/.exec(message)?.[1];
  if (got === "EOF") return "the template ends before a {{ or a block is closed";
  return got === undefined || got === "INVALID" ? "this is not valid in {{ }}" : `unexpected ${got} in {{ }}`;
}
