// One entry of `protect` as people write it: a path or glob from the workspace on, with `#` one value of a JSON file.
import type { Protection } from "#spec/task";
import { LEFT_OUT } from "#workspaces/protect/matcher";
import { show } from "./sentence.ts";

export interface Written {
  readonly path: string;
  readonly new?: "allow" | "refuse" | undefined;
}

const KEYS = /^(?:[^\s."#/*]+|"(?:[^"\\]|\\.)*")(?:\.(?:[^\s."#/*]+|"(?:[^"\\]|\\.)*"))*$/;
const KEY = /"(?:[^"\\]|\\.)*"|[^.]+/g;

/** The path and its keys; a `#` of the path itself is written `[#]`. */
function split(text: string): { readonly path: string; readonly keys?: string } {
  const at = text.replace("[#]", "...").indexOf("#");
  return at === -1 ? { path: text } : { path: text.slice(0, at), keys: text.slice(at + 1) };
}

function keyFrom(keys: string): string[] | undefined {
  if (!KEYS.test(keys)) return undefined;
  try {
    return [...keys.matchAll(KEY)].map(([part]) => (part.startsWith('"') ? JSON.parse(part) : part));
  } catch {
    return undefined;
  }
}

/** Without what says nothing: "./", "//", and the slash at the end, which stands for all there is in a folder. */
function tidy(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.length === 0) return "**";
  return segments.join("/") + (path.endsWith("/") ? "/**" : "");
}

function wrongPath(path: string): string | undefined {
  if (path.trim() === "") return "expected a path before the #";
  if (path.startsWith("!"))
    return `expected what to protect, got ${show(path)}; there are no exceptions with "!"`;
  const segments = path.split("/");
  if (path.startsWith("/") || segments.includes(".."))
    return `expected a path inside the workspace, got ${show(path)}`;
  const tool = segments.find((segment) => LEFT_OUT.includes(segment));
  return tool === undefined
    ? undefined
    : `expected a path outside of ${tool}, which tools write and nothing in it is protected; got ${show(path)}`;
}

/** What is meant, or what is wrong with it. */
export function readEntry({ path: text, new: come }: Written): Protection | string {
  const { path, keys } = split(text);
  const wrong = wrongPath(path);
  if (wrong !== undefined) return wrong;
  const key = keys === undefined ? undefined : keyFrom(keys);
  if (keys !== undefined && key === undefined)
    return `expected keys after the # like scripts.test or scripts."a.b", got ${show(keys)}; a # in a path is written [#]`;
  const tidied = tidy(path);
  const grows = come === undefined ? tidied.endsWith("/**") : come === "allow";
  return { path: tidied, ...(key && { key }), grows };
}
