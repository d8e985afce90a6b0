// Imports the user's module and makes a strategy object of its export, with a specific message for each kind of failure.
import { dirname, extname, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { types } from "node:util";
import { describeError, placeOf, preview } from "./describe-error.ts";
import type { ModuleSource } from "./worker-thread.ts";

/** Error for an unusable module, told apart from errors that the module's code throws. */
export class UnusableModule extends Error {
  override readonly name = "UnusableModule";
}

const SLOT = "syntaxErrorOfCustomModule";

export async function loadExport(source: ModuleSource): Promise<unknown> {
  const namespace = await importModule(source.module);
  if (source.exportName in namespace) return namespace[source.exportName];
  // Newer versions of Node list "module.exports" among the exports of a CommonJS module.
  const names = Object.keys(namespace).filter((name) => name !== "module.exports");
  throw new UnusableModule(
    `has no export "${source.exportName}"; its exports are: ${names.join(", ") || "none"}`,
  );
}

async function importModule(module: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(module).href);
  } catch (error) {
    throw new UnusableModule(await explain(error, module));
  }
}

async function explain(error: unknown, module: string): Promise<string> {
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ERR_UNKNOWN_FILE_EXTENSION") {
    return /^\.[cm]?ts$/.test(extname(module))
      ? `Node 22.18+ can load TypeScript; this is ${process.version}: compile it or rename to .mjs`
      : `expected a .js, .mjs or .ts file, got "${extname(module)}"`;
  }
  const problem = describeError(error, module);
  if (!types.isNativeError(error) || error.name !== "SyntaxError")
    return `threw while it was loaded: ${problem}`;
  const place = placeOf(error, dirname(module)) ? undefined : await syntaxErrorPlace(module);
  return `cannot be parsed: ${problem}${place ? ` (${place})` : ""}`;
}

/** The location as text, or undefined when the inspector fails. A failure here must not hide the syntax error. */
async function syntaxErrorPlace(module: string): Promise<string | undefined> {
  try {
    return await inspectFailure(module);
  } catch {
    return undefined;
  }
}

/** Imports the module again under the inspector. No code runs, because the module does not parse. */
async function inspectFailure(module: string): Promise<string | undefined> {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  const urls = new Map<string, string>();
  session.connect();
  try {
    session.on("Debugger.scriptFailedToParse", ({ params }) => urls.set(params.scriptId, params.url));
    await session.post("Debugger.enable");
    const error: unknown = await import(`${pathToFileURL(module).href}?again`).catch((thrown) => thrown);
    Reflect.set(globalThis, SLOT, error);
    const { result } = await session.post("Runtime.evaluate", { expression: `globalThis.${SLOT}` });
    const { exceptionDetails } = (await session.post("Runtime.getExceptionDetails", {
      errorObjectId: result.objectId,
    })) as unknown as { exceptionDetails: { scriptId: string; lineNumber: number } };
    const line = exceptionDetails.lineNumber + 1;
    const url = urls.get(exceptionDetails.scriptId)?.replace(/\?again$/, "");
    // A script that was not parsed again comes from the module cache, so it is an imported file.
    if (!url) return `line ${line} of a file that it imports`;
    return `${relative(dirname(module), fileURLToPath(url))}:${line}`;
  } finally {
    Reflect.deleteProperty(globalThis, SLOT);
    session.disconnect();
  }
}

/** Names of the deciding method, newest first. An object with several is treated as the newest shape. */
export const DECISION_METHODS = ["decide", "shouldContinue", "onIterationComplete"] as const;

export type Method = (...args: unknown[]) => unknown;

/** An untrusted object from user code: any member may be missing or have another type. */
export type StrategyObject = Readonly<Record<string, unknown>>;

/** Constructs a class, calls a factory, or wraps a plain function. */
export async function makeStrategy(
  exported: unknown,
  { config, module }: ModuleSource,
): Promise<StrategyObject> {
  if (typeof exported !== "function") return requireStrategy(exported);
  if (isClass(exported)) return requireStrategy(Reflect.construct(exported, [config]));
  return fromFunction(exported as Method, config, module);
}

export function isMethod(member: unknown): member is Method {
  return typeof member === "function";
}

function isStrategy(value: unknown): value is StrategyObject {
  return (
    typeof value === "object" &&
    value !== null &&
    DECISION_METHODS.some((name) => isMethod((value as StrategyObject)[name]))
  );
}

function isClass(exported: object): boolean {
  return (
    /^class\b/.test(Function.prototype.toString.call(exported)) ||
    isStrategy((exported as { prototype?: unknown }).prototype)
  );
}

/** Tells a factory from a plain function by calling it with the config: only a factory returns a strategy. */
async function fromFunction(exported: Method, config: unknown, module: string): Promise<StrategyObject> {
  let configProblem: string | undefined;
  try {
    const result = await exported(config);
    if (isMethod(result)) return { decide: result };
    if (isStrategy(result)) return result;
  } catch (error) {
    configProblem = describeError(error, module);
  }
  return { decide: (run: unknown) => callPlain(exported, run, configProblem) };
}

/** Reports a factory that rejected its config: it looks like a plain function until its first decision. */
async function callPlain(
  exported: Method,
  run: unknown,
  configProblem: string | undefined,
): Promise<unknown> {
  const answer = await exported(run);
  if (!isStrategy(answer) && !isMethod(answer)) return answer;
  throw new UnusableModule(
    `is a factory that cannot make a strategy of its config: it threw ${configProblem ?? "nothing"}`,
  );
}

function requireStrategy(value: unknown): StrategyObject {
  if (isStrategy(value)) return value;
  const missing = "missing decide(run), shouldContinue(state) or onIterationComplete(event)";
  throw new UnusableModule(`is not a strategy: ${missing}; it is ${shapeOf(value)}`);
}

function shapeOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return preview(value);
  const names = membersOf(value);
  if (names.length === 0) return "an empty object";
  const members = names.slice(0, 20).map((name) => `${name} (${typeof (value as StrategyObject)[name]})`);
  return `an object with ${members.join(", ")}`;
}

function membersOf(value: object): string[] {
  const prototype: unknown = Object.getPrototypeOf(value);
  const inherited = prototype && prototype !== Object.prototype ? membersOf(prototype as object) : [];
  const names = [...Object.getOwnPropertyNames(value), ...inherited];
  return [...new Set(names)].filter((name) => name !== "constructor");
}
