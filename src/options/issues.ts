// Converts zod issues to findings: one readable message per mistake, located at the wrong key or value.
import * as z from "zod";
import { unknownName } from "#text/nearest-name";
import { listed, sentence } from "./sentence.ts";

/** Keys and indices from the root of a value to one of its parts. */
export type Path = readonly (string | number)[];

export interface Finding {
  readonly path: Path;
  /** Whether the key at the path is wrong, or its value. */
  readonly about: "key" | "value";
  readonly message: string;
}

type Checked<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly findings: readonly Finding[] };

interface CheckOptions {
  /** Path of the value itself, as findings name it. */
  readonly prefix?: Path;
  /** Keys of the same map that the caller reads itself. */
  readonly alsoKnown?: readonly string[];
}

export function check<T>(schema: z.ZodType<T>, value: unknown, options: CheckOptions = {}): Checked<T> {
  const { prefix = [], alsoKnown = [] } = options;
  const parsed = schema.safeParse(value, { error: sentence });
  if (parsed.success) return { ok: true, data: parsed.data };
  const knownKeys = (path: Path) => [...(path.length === 0 ? alsoKnown : []), ...keysAt(schema, path)];
  const findings = parsed.error.issues
    .flatMap((issue) => findingsOf(issue, [], knownKeys))
    .map((finding) => ({ ...finding, path: [...prefix, ...finding.path] }))
    .map((finding) => nameFinding(finding, prefix));
  return { ok: false, findings };
}

type Issue = z.core.$ZodIssue;
type Known = (path: Path) => readonly string[];
type RawFinding = Finding & { readonly unknownOf?: readonly string[] };

function findingsOf(issue: Issue, base: Path, knownKeys: Known): readonly RawFinding[] {
  const path = [...base, ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part))];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      path: [...path, key],
      about: "key",
      message: "",
      unknownOf: knownKeys(path),
    }));
  if (issue.code === "invalid_union") return unionFindings(issue, path, knownKeys);
  if (issue.code === "invalid_key") return [{ path, about: "key", message: issue.issues[0]?.message ?? "" }];
  return [{ path, about: "value", message: issue.message }];
}

type UnionIssue = Extract<Issue, { code: "invalid_union" }>;

/** Reports the union branch that the user most likely meant: the one that accepts the value's shape and rejects a detail. */
function unionFindings(issue: UnionIssue, path: Path, knownKeys: Known): readonly RawFinding[] {
  const branches = issue.errors as readonly (readonly Issue[])[];
  const matching = branches.filter((issues) => issues.some((inner) => !isShallow(inner)));
  const [closest] = matching.toSorted((a, b) => a.length - b.length);
  if (closest !== undefined) return closest.flatMap((inner) => findingsOf(inner, path, knownKeys));
  if (issue.message !== "") return [{ path, about: "value", message: issue.message }];
  const messages = branches.flatMap((issues) => issues.map((inner) => inner.message)).filter(Boolean);
  return [{ path, about: "value", message: joinMessages(messages) }];
}

const isShallow = (issue: Issue) => issue.path.length === 0 && issue.code !== "unrecognized_keys";

/** Joins "expected a, got x" and "expected b, got x" into one sentence. */
function joinMessages(messages: readonly string[]): string {
  const parts = messages.map((message) => /^expected (.+), got (.+)$/.exec(message));
  const got = parts[0]?.[2];
  if (got === undefined) return messages[0] ?? "this value is not allowed here";
  return `expected ${listed(parts.flatMap((part) => part?.[1] ?? []))}, got ${got}`;
}

function nameFinding({ unknownOf, ...finding }: RawFinding, prefix: Path): Finding {
  if (unknownOf === undefined) {
    const place = pathName(finding.path);
    return { ...finding, message: place ? `${place}: ${finding.message}` : finding.message };
  }
  const key = String(finding.path.at(-1));
  const where = pathName(finding.path.slice(0, -1));
  return {
    ...finding,
    message: unknownName("key", { name: key, where: where || pathName(prefix) }, unknownOf),
  };
}

/** Formats a path: `gates[0].timeout`. */
export function pathName(path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    "",
  );
}

/** Keys of the schema at the path, through wrappers and in all union branches. */
function keysAt(schema: z.ZodType, path: Path): readonly string[] {
  return [...new Set(objectsAt(schema, path).flatMap((object) => Object.keys(object.shape)))];
}

const WRAPPERS = [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodPrefault, z.ZodReadonly] as const;

function objectsAt(schema: unknown, path: Path): readonly z.ZodObject[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => objectsAt(option, path));
  if (schema instanceof z.ZodPipe) return objectsAt(schema.in, path);
  if (WRAPPERS.some((wrapper) => schema instanceof wrapper))
    return objectsAt((schema as z.ZodOptional).unwrap(), path);
  const [first, ...rest] = path;
  if (first === undefined) return schema instanceof z.ZodObject ? [schema] : [];
  if (schema instanceof z.ZodObject) return objectsAt(schema.shape[String(first)], rest);
  if (schema instanceof z.ZodArray) return objectsAt(schema.element, rest);
  return schema instanceof z.ZodRecord ? objectsAt(schema.valueType, rest) : [];
}
