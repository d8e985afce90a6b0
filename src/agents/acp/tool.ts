// Extracts kind, command and paths from an ACP tool call, for the permission policy.
import { fileURLToPath } from "node:url";
import { oneLine } from "#text/plain-text";
import { at, isObject, listAt, textAt } from "../shared/read-json.ts";

export interface Tool {
  /** As in ACP: read, edit, delete, move, search, execute, … */
  readonly kind: string;
  readonly title: string;
  readonly command?: string;
  readonly paths: readonly string[];
  /** It has more values than we check. */
  readonly isUnclear: boolean;
}

const TITLE_CHARS = 300;
const COMMAND_CHARS = 10_000;
const PATH_CHARS = 4_096;
const MAX_PATHS = 50;
const MAX_VALUES = 2_000;
const MAX_DEPTH = 6;

/** Keys that hold paths, not contents. */
const PATH_KEY =
  /(?:path|dir|directory|folder|cwd|uri)s?$|^(?:files?|file_?names?|source|destination|target|from|to)$/i;

/** Bounded, because the input is untrusted and may be deeply nested. */
function pathsIn(input: unknown): { paths: string[]; isUnclear: boolean } {
  const paths: string[] = [];
  let values = 0;
  let isUnclear = false;
  const walk = (value: unknown, isPath: boolean, depth: number): void => {
    isUnclear ||= ++values > MAX_VALUES || depth > MAX_DEPTH;
    if (isUnclear) return;
    if (typeof value === "string" && isPath && value !== "") paths.push(value);
    else if (Array.isArray(value))
      for (const item of value.slice(0, MAX_VALUES + 1)) walk(item, isPath, depth + 1);
    else if (isObject(value))
      for (const key of Object.keys(value).slice(0, MAX_VALUES + 1))
        walk(value[key], PATH_KEY.test(key), depth + 1);
  };
  walk(input, false, 0);
  return { paths, isUnclear };
}

function toFilePath(path: string): string {
  try {
    return path.startsWith("file:") ? fileURLToPath(path) : path;
  } catch {
    return path;
  }
}

/** Unwraps `sh -c "npm test"`. */
function unwrapShell(words: readonly string[]): string {
  const [shell = "", flag = "", script, ...rest] = words;
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag);
  return isShell && script !== undefined && rest.length === 0 ? script : words.join(" ");
}

function commandIn(input: unknown): string | undefined {
  const given = at(input, "command") ?? at(input, "cmd");
  const words = Array.isArray(given) && given.every((word) => typeof word === "string") ? given : undefined;
  const text = words ? unwrapShell(words) : given;
  return typeof text === "string" && text.length <= COMMAND_CHARS ? text.trim() : undefined;
}

/** Merges a partial update with what is known: a missing field keeps its value. */
export function toolOf(call: unknown, before?: Tool): Tool {
  const input = at(call, "rawInput");
  const inputPaths = pathsIn(input);
  const locations = [...listAt(call, "locations"), ...listAt(call, "content")].map((one) =>
    textAt(one, "path"),
  );
  const paths = new Set([...(before?.paths ?? []), ...locations, ...inputPaths.paths].map(toFilePath));
  paths.delete("");
  const isLong = [...paths].some((path) => path.length > PATH_CHARS) || paths.size > MAX_PATHS;
  const command = commandIn(input) ?? before?.command;
  return {
    kind: oneLine(textAt(call, "kind"), TITLE_CHARS) || before?.kind || "other",
    title: oneLine(textAt(call, "title"), TITLE_CHARS) || before?.title || "",
    ...(command !== undefined && { command }),
    paths: isLong ? [] : [...paths],
    isUnclear: isLong || inputPaths.isUnclear || (before?.isUnclear ?? false),
  };
}
