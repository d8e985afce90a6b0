// Compiles a protection to a matcher: which files it protects, and which folders may contain them.
import { TOOL_FOLDERS } from "#classify/shared/files";
import { glob } from "#classify/shared/glob";
import type { Protection } from "#spec/task";

/** Folders that belong to tools: no pattern matches in them. */
export const LEFT_OUT = TOOL_FOLDERS;

export interface Matcher {
  readonly protection: Protection;
  matches(file: string): boolean;
  /** Whether something in the folder may match. */
  reaches(folder: string): boolean;
}

const balanced = (segment: string): boolean => segment.split("{").length === segment.split("}").length;

/** The leading segments, up to the first one that may match several levels. */
function leading(pattern: string): string[] {
  const segments = pattern.split("/");
  const open = segments.findIndex((segment) => segment.includes("**") || !balanced(segment));
  return open === -1 ? segments : segments.slice(0, open);
}

export function matcher(protection: Protection): Matcher {
  const { path: pattern } = protection;
  // A folder means everything in it; so does a protected file that was replaced by a folder.
  const itself = glob(pattern);
  const below = glob(`${pattern}/**`);
  const excepted = (protection.except ?? []).map(glob);
  const folder = `${pattern}/`;
  const isMeant = (file: string) =>
    file === pattern || file.startsWith(folder) || itself(file) || below(file);
  const way = leading(pattern);
  const prefixes = way.map((_, index) => {
    const start = way.slice(0, index + 1).join("/");
    const like = glob(start);
    return (folder: string) => folder === start || like(folder);
  });
  return {
    protection,
    matches: (file) => isMeant(file) && !excepted.some((one) => one(file)),
    reaches: (name) => {
      if (prefixes.length === 0) return true;
      const segments = name.split("/").slice(0, prefixes.length);
      return prefixes[segments.length - 1]?.(segments.join("/")) ?? true;
    },
  };
}
