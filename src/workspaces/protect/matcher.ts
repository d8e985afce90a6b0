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

const isBalanced = (segment: string): boolean => segment.split("{").length === segment.split("}").length;

/** The leading segments, up to the first one that may match several levels. */
function leadingSegments(pattern: string): string[] {
  const segments = pattern.split("/");
  const open = segments.findIndex((segment) => segment.includes("**") || !isBalanced(segment));
  return open === -1 ? segments : segments.slice(0, open);
}

export function matcher(protection: Protection): Matcher {
  const { path: pattern } = protection;
  // A folder means everything in it; so does a protected file that was replaced by a folder.
  const itself = glob(pattern);
  const below = glob(`${pattern}/**`);
  const excepted = (protection.except ?? []).map(glob);
  const folder = `${pattern}/`;
  const isMatched = (file: string) =>
    file === pattern || file.startsWith(folder) || itself(file) || below(file);
  const segments = leadingSegments(pattern);
  const prefixes = segments.map((_, index) => {
    const start = segments.slice(0, index + 1).join("/");
    const isLike = glob(start);
    return (name: string) => name === start || isLike(name);
  });
  return {
    protection,
    matches: (file) => isMatched(file) && !excepted.some((one) => one(file)),
    reaches: (name) => {
      if (prefixes.length === 0) return true;
      const start = name.split("/").slice(0, prefixes.length);
      return prefixes[start.length - 1]?.(start.join("/")) ?? true;
    },
  };
}
