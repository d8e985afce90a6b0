// From what zod found to what people read: one finding per mistake, at the key or the value that is wrong.
import * as z from "zod";
import { unknownName } from "#text/nearest-name";
import type { Path } from "./located.ts";
import { listed, sentence } from "./sentence.ts";

export interface Finding {
  readonly path: Path;
  /** Whether the key at the path is wrong, or its value. */
  readonly about: "key" | "value";
  readonly message: string;
}

type Checked<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** Parses a value. `alsoKnown` are keys that somebody else has taken from the same map before. */
export function check<T>(
  schema: z.ZodType<T>,
  value: unknown,
  prefix: Path = [],
  alsoKnown: readonly string[] = [],
): Checked<T> {
  const parsed = schema.safeParse(value, { error: sentence });
  if (parsed.success) return { ok: true, data: parsed.data };
  const known = (path: Path) => [...(path.length === 0 ? alsoKnown : []), ...keysAt(schema, path)];
  const findings = parsed.error.issues
    .flatMap((issue) => findingsOf(issue, [], known))
    .map((finding) => ({ ...finding, path: [...prefix, ...finding.path] }))
    .map((finding) => named(finding, prefix));
  return { ok: false, findings };
}

type Issue = z.core.$ZodIssue;
type Known = (path: Path) => readonly string[];
type Raw = Finding & { readonly unknownOf?: readonly string[] };

function findingsOf(issue: Issue, base: Path, known: Known): readonly Raw[] {
  const path = [...base, ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part))];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      path: [...path, key],
      about: "key",
      message: "",
      unknownOf: known(path),
    }));
  if (issue.code === "invalid_union") return unionFindings(issue, path, known);
  if (issue.code === "invalid_key") return [{ path, about: "key", message: issue.issues[0]?.message ?? "" }];
  return [{ path, about: "value", message: issue.message }];
}

type UnionIssue = Extract<Issue, { code: "invalid_union" }>;

/** The branch that the writer was in: the one that understood the value's shape and then found a fault in it. */
function unionFindings(issue: UnionIssue, path: Path, known: Known): readonly Raw[] {
  const branches = issue.errors as readonly (readonly Issue[])[];
  const entered = branches.filter((issues) => issues.some((inner) => !isShallow(inner)));
  const [closest] = entered.toSorted((a, b) => a.length - b.length);
  if (closest !== undefined) return closest.flatMap((inner) => findingsOf(inner, path, known));
  if (issue.message !== "") return [{ path, about: "value", message: issue.message }];
  const messages = branches.flatMap((issues) => issues.map((inner) => inner.message)).filter(Boolean);
  return [{ path, about: "value", message: together(messages) }];
}

const isShallow = (issue: Issue) => issue.path.length === 0 && issue.code !== "unrecognized_keys";

/** "expected a, got x" and "expected b, got x" read as one sentence. */
function together(messages: readonly string[]): string {
  const parts = messages.map((message) => /^expected (.+), got (.+)$/.exec(message));
  const got = parts[0]?.[2];
  if (got === undefined) return messages[0] ?? "this is none of the values that are allowed here";
  return `expected ${listed(parts.flatMap((part) => part?.[1] ?? []))}, got ${got}`;
}

function named({ unknownOf, ...finding }: Raw, prefix: Path): Finding {
  if (unknownOf === undefined) {
    const place = pathName(finding.path);
    return { ...finding, message: place ? `${place}: ${finding.message}` : finding.message };
  }
  const key = String(finding.path.at(-1));
  const where = pathName(finding.path.slice(0, -1));
  return { ...finding, message: unknownName("key", key, unknownOf, where || pathName(prefix)) };
}

/** `gates[0].timeout` */
export function pathName(path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    "",
  );
}

/** The keys that the schema knows at the path, through wrappers and over all branches. */
function keysAt(schema: z.ZodType, path: Path): readonly string[] {
  return [...new Set(within(schema, path).flatMap((found) => Object.keys(found.shape)))];
}

const WRAPPERS = [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodPrefault, z.ZodReadonly] as const;

function within(schema: unknown, path: Path): readonly z.ZodObject[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => within(option, path));
  if (schema instanceof z.ZodPipe) return within(schema.in, path);
  if (WRAPPERS.some((wrapper) => schema instanceof wrapper))
    return within((schema as z.ZodOptional).unwrap(), path);
  const [first, ...rest] = path;
  if (first === undefined) return schema instanceof z.ZodObject ? [schema] : [];
  if (schema instanceof z.ZodObject) return within(schema.shape[String(first)], rest);
  if (schema instanceof z.ZodArray) return within(schema.element, rest);
  return schema instanceof z.ZodRecord ? within(schema.valueType, rest) : [];
}
