// The secrets of this process, and functions that mask them in text, data and streams.
import { type Automaton, automaton } from "./automaton.ts";
import { chainsOf } from "./encodings.ts";
import { type Env, isCommon, secretsIn } from "./find.ts";
import { type Secret, SHORTEST } from "./secret.ts";
import { type MaskingStream, maskingStream } from "./stream.ts";

export { looksSecret } from "./find.ts";
export type { MaskingStream } from "./stream.ts";

export interface Secrets {
  /** Adds the secrets of the environment and the variables named. Returns a warning for each named one that cannot be masked. */
  learn(names: readonly string[], env?: Env): string[];
  mask(text: string): string;
  /** Returns the data with every text masked; the same object when there is nothing to mask. */
  redact<T>(data: T): T;
  stream(): MaskingStream;
}

interface Masker {
  readonly machine: Automaton;
  readonly marks: readonly Buffer[];
}

/** The mark has no quotes, backslashes or characters that are special in a shell, a pattern or markup. */
function markOf({ name }: Secret): Buffer {
  return Buffer.from(`‹secret ${name.replace(/[^\w.-]/g, "_")}›`);
}

function maskerFor(known: readonly Secret[]): Masker {
  const chains = known.flatMap((secret) =>
    chainsOf(secret.value).map((chain) => ({ chain, mark: markOf(secret) })),
  );
  return { machine: automaton(chains.map(({ chain }) => chain)), marks: chains.map(({ mark }) => mark) };
}

function describeUnmasked(name: string, value: string | undefined): string[] {
  if (value === undefined || value.trim() === "")
    return [`secrets: ${name} is not set, so there is nothing to mask; set it, or remove its name`];
  if (value.trim().length < SHORTEST)
    return [`secrets: ${name} is not masked, because its value is shorter than ${SHORTEST} characters`];
  return isCommon({ name, value: value.trim() })
    ? [`secrets: ${name} is not masked, because its value is found in any text`]
    : [];
}

function mapTexts(data: unknown, mask: (text: string) => string): unknown {
  if (typeof data === "string") return mask(data);
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) {
    const items = data.map((item) => mapTexts(item, mask));
    return items.some((item, index) => item !== data[index]) ? items : data;
  }
  const before = Object.entries(data);
  const after = before.map(([key, value]) => [key, mapTexts(value, mask)] as const);
  return after.some(([, value], index) => value !== before[index]?.[1]) ? Object.fromEntries(after) : data;
}

/** Creates a separate list; the process-wide one is below. */
export function createSecrets(environment: Env): Secrets {
  const known = new Map<string, Secret>();
  let isFresh = true;
  let masker: Masker | undefined;

  const learn: Secrets["learn"] = (names, env = environment) => {
    isFresh = false;
    for (const secret of secretsIn(env, names)) {
      if (known.has(secret.value)) continue;
      known.set(secret.value, secret);
      masker = undefined;
    }
    return names.flatMap((name) => describeUnmasked(name, env[name]));
  };
  const current = (): Masker => {
    if (isFresh) learn([]);
    masker ??= maskerFor([...known.values()]);
    return masker;
  };
  const stream = () => {
    const { machine, marks } = current();
    return maskingStream(machine, marks);
  };
  const mask = (text: string) => {
    if (text.length < SHORTEST) return text;
    const { machine } = current();
    const bytes = Buffer.from(text);
    let isSeen = false;
    machine.scan(bytes, machine.start, () => {
      isSeen = true;
    });
    if (!isSeen) return text;
    const masking = stream();
    return Buffer.concat([masking.push(bytes), masking.end()]).toString();
  };
  return { learn, mask, stream, redact: <T>(data: T) => mapTexts(data, mask) as T };
}

/** The process-wide list; reads the environment on first use. */
export const secrets: Secrets = createSecrets(process.env);
