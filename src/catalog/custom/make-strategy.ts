// From an export to a strategy object: a class is constructed, a factory called, a plain function wrapped.
import { describeError, preview } from "./preview.ts";
import { Refusal } from "./refusal.ts";

/** The method that decides, best first: an object with several is taken for the newest shape. */
export const DECIDING = ["decide", "shouldContinue", "onIterationComplete"] as const;

export type Method = (...args: unknown[]) => unknown;

/** User code: any of its members may be missing, or something else. */
export type Custom = Readonly<Record<string, unknown>>;

export async function makeStrategy(exported: unknown, config: unknown, module: string): Promise<Custom> {
  if (typeof exported !== "function") return checked(exported);
  if (isClass(exported)) return checked(Reflect.construct(exported, [config]));
  return fromFunction(exported as Method, config, module);
}

export function isMethod(member: unknown): member is Method {
  return typeof member === "function";
}

function isStrategy(value: unknown): value is Custom {
  return (
    typeof value === "object" && value !== null && DECIDING.some((name) => isMethod((value as Custom)[name]))
  );
}

function isClass(exported: object): boolean {
  return (
    /^class\b/.test(Function.prototype.toString.call(exported)) ||
    isStrategy((exported as { prototype?: unknown }).prototype)
  );
}

/** Called with its config, a factory returns a strategy; a plain function returns anything else, or throws. */
async function fromFunction(exported: Method, config: unknown, module: string): Promise<Custom> {
  let thrown: string | undefined;
  try {
    const made = await exported(config);
    if (isMethod(made)) return { decide: made };
    if (isStrategy(made)) return made;
  } catch (error) {
    thrown = describeError(error, module);
  }
  return { decide: (run: unknown) => callPlain(exported, run, thrown) };
}

/** A factory that does not like its config looks like a plain function until it is asked; then it must be said. */
async function callPlain(exported: Method, run: unknown, thrown: string | undefined): Promise<unknown> {
  const answer = await exported(run);
  if (!isStrategy(answer) && !isMethod(answer)) return answer;
  throw new Refusal(
    `is a factory that cannot make a strategy of its config: it threw ${thrown ?? "nothing"}`,
  );
}

function checked(value: unknown): Custom {
  if (isStrategy(value)) return value;
  const missing = "missing decide(run), shouldContinue(state) or onIterationComplete(event)";
  throw new Refusal(`is not a strategy: ${missing}; it is ${shapeOf(value)}`);
}

function shapeOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return preview(value);
  const names = membersOf(value);
  if (names.length === 0) return "an empty object";
  const members = names.slice(0, 20).map((name) => `${name} (${typeof (value as Custom)[name]})`);
  return `an object with ${members.join(", ")}`;
}

function membersOf(value: object): string[] {
  const prototype: unknown = Object.getPrototypeOf(value);
  const inherited = prototype && prototype !== Object.prototype ? membersOf(prototype as object) : [];
  const names = [...Object.getOwnPropertyNames(value), ...inherited];
  return [...new Set(names)].filter((name) => name !== "constructor");
}
