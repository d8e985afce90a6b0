// Turns an export into a strategy object: constructs a class, calls a factory, wraps a plain function.
import { describeError, preview } from "./preview.ts";
import { Refusal } from "./refusal.ts";

/** Names of the deciding method, newest first. An object with several is treated as the newest shape. */
export const DECISION_METHODS = ["decide", "shouldContinue", "onIterationComplete"] as const;

export type Method = (...args: unknown[]) => unknown;

/** An untrusted object from user code: any member may be missing or have another type. */
export type StrategyObject = Readonly<Record<string, unknown>>;

export async function makeStrategy(
  exported: unknown,
  config: unknown,
  module: string,
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
  throw new Refusal(
    `is a factory that cannot make a strategy of its config: it threw ${configProblem ?? "nothing"}`,
  );
}

function requireStrategy(value: unknown): StrategyObject {
  if (isStrategy(value)) return value;
  const missing = "missing decide(run), shouldContinue(state) or onIterationComplete(event)";
  throw new Refusal(`is not a strategy: ${missing}; it is ${shapeOf(value)}`);
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
