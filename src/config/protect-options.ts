// Options of `protect`. An entry is a path or glob relative to the workspace, or `FILE#key` for one value of a JSON file.
import * as z from "zod";
import { option, requiredOption, TYPE_NAME } from "#options/option";
import { show, wordsOr } from "#options/sentence";
import { onOff, text } from "#options/values";
import type { Protection } from "#spec/task";
import { LEFT_OUT } from "#workspaces/protect/matcher";

interface ProtectEntry {
  readonly path: string;
  readonly new?: "allow" | "refuse" | undefined;
}

const KEYS = /^(?:[^\s."#/*]+|"(?:[^"\\]|\\.)*")(?:\.(?:[^\s."#/*]+|"(?:[^"\\]|\\.)*"))*$/;
const KEY = /"(?:[^"\\]|\\.)*"|[^.]+/g;

/** Splits path and keys; a `#` in the path is written `[#]`. */
function splitKeys(entry: string): { readonly path: string; readonly keys?: string } {
  const at = entry.replace("[#]", "...").indexOf("#");
  return at === -1 ? { path: entry } : { path: entry.slice(0, at), keys: entry.slice(at + 1) };
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
function normalisePath(path: string): string {
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
function parseEntry({ path: entry, new: newFiles }: ProtectEntry): Protection | string {
  const { path, keys } = splitKeys(entry);
  const problem = pathProblem(path);
  if (problem !== undefined) return problem;
  const key = keys === undefined ? undefined : parseKeys(keys);
  if (keys !== undefined && key === undefined)
    return `expected keys after the # like scripts.test or scripts."a.b", got ${show(keys)}; a # in a path is written [#]`;
  const normalised = normalisePath(path);
  const grows = newFiles === undefined ? normalised.endsWith("/**") : newFiles === "allow";
  return { path: normalised, ...(key && { key }), grows };
}

const entryMap = z.strictObject({
  path: requiredOption({ schema: text, doc: "Path or glob relative to the workspace, or `FILE#key`." }),
  new: option({
    schema: z.enum(["allow", "refuse"]),
    defaultText: "`allow` for a folder, else `refuse`",
    doc: "Whether the agent may create files that match.",
  }),
});

const protection = z
  .union([text, entryMap], {
    error: ({ input }) => `expected a path or {path: …, new: …}, got ${show(input)}`,
  })
  .transform((value, context) => {
    if (value === "default") return value;
    const entry = parseEntry(typeof value === "string" ? { path: value } : value);
    if (typeof entry !== "string") return entry;
    context.addIssue({ code: "custom", message: entry });
    return z.NEVER;
  });

const paths = z.array(protection).meta({ [TYPE_NAME]: "list of paths" });

const DEFAULT_ACTION = "restore";

const protectMap = z.strictObject({
  paths: option({
    schema: paths,
    defaultText: "`[default]`",
    doc: "What is protected; `default` stands for tests and what steers them.",
  }),
  action: option({
    schema: z.enum(["restore", "fail", "allow"]),
    default: DEFAULT_ACTION,
    doc: "Restores a file that the agent changed, ends the run, or only reports the change.",
  }),
});

/** Without `paths`, the classifier finds what is protected. */
export interface ProtectOption {
  readonly paths?: readonly ("default" | Protection)[] | undefined;
  readonly action: z.output<typeof protectMap>["action"];
}

export const protect = z.union(
  [
    paths.transform((entries): ProtectOption => ({ paths: entries, action: DEFAULT_ACTION })),
    onOff.transform((on): ProtectOption => ({ ...(!on && { paths: [] }), action: DEFAULT_ACTION })),
    protectMap.transform((options): ProtectOption => options),
  ],
  { error: wordsOr(["a list of paths", "off"], "{paths: …, action: …}") },
);
