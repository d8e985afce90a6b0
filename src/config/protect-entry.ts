// Parses one entry of `protect`: a path or glob relative to the workspace, or `FILE#key` for one value of a JSON file.

import { show } from "#options/sentence";
import type { Protection } from "#spec/task";
import { LEFT_OUT } from "#workspaces/protect/matcher";

export interface ProtectEntry {
  readonly path: string;
  readonly new?: "allow" | "refuse" | undefined;
}

const KEYS = /^(?:[^\s."#/*]+|"(?:[^"\\]|\\.)*")(?:\.(?:[^\s."#/*]+|"(?:[^"\\]|\\.)*"))*$/;
const KEY = /"(?:[^"\\]|\\.)*"|[^.]+/g;

/** Splits path and keys; a `#` in the path is written `[#]`. */
function split(text: string): { readonly path: string; readonly keys?: string } {
  const at = text.replace("[#]", "...").indexOf("#");
  return at === -1 ? { path: text } : { path: text.slice(0, at), keys: text.slice(at + 1) };
}

function parseKeys(keys: string): string[] | undefined {
  if (!KEYS.test(keys)) return undefined;
  try {
    return [...keys.matchAll(KEY)].map(([part]) => (part.startsWith('"') ? JSON.parse(part) : part));
  } catch {
    return undefined;
  }
}

/** Normalises a path: drops "./" and "//", and expands a trailing slash to all files of the folder. */
function normalise(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.length === 0) return "**";
  return segments.join("/") + (path.endsWith("/") ? "/**" : "");
}

function pathProblem(path: string): string | undefined {
  if (path.trim() === "") return "expected a path before the #";
  if (path.startsWith("!"))
    return `expected a path to protect, got ${show(path)}; exceptions with "!" are not supported`;
  const segments = path.split("/");
  if (path.startsWith("/") || segments.includes(".."))
    return `expected a path inside the workspace, got ${show(path)}`;
  const tool = segments.find((segment) => LEFT_OUT.includes(segment));
  return tool === undefined
    ? undefined
    : `expected a path outside ${tool}, got ${show(path)}; tools write there, so nothing in it is protected`;
}

/** Returns the protection, or a message that says what is wrong. */
export function readEntry({ path: text, new: newFiles }: ProtectEntry): Protection | string {
  const { path, keys } = split(text);
  const problem = pathProblem(path);
  if (problem !== undefined) return problem;
  const key = keys === undefined ? undefined : parseKeys(keys);
  if (keys !== undefined && key === undefined)
    return `expected keys after the # like scripts.test or scripts."a.b", got ${show(keys)}; a # in a path is written [#]`;
  const normalised = normalise(path);
  const grows = newFiles === undefined ? normalised.endsWith("/**") : newFiles === "allow";
  return { path: normalised, ...(key && { key }), grows };
}
