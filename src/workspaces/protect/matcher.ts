// Which files a protection means, and into which folders one has to look for them.
import { TOOL_FOLDERS } from "#classify/shared/files";
import { glob } from "#classify/shared/glob";
import type { Protection } from "#spec/task";

/** Folders that belong to tools: no pattern reaches into them. */
export const LEFT_OUT = TOOL_FOLDERS;

export interface Matcher {
  readonly protection: Protection;
  matches(file: string): boolean;
  /** Something in the folder may match. */
  reaches(folder: string): boolean;
}

const balanced = (segment: string): boolean => segment.split("{").length === segment.split("}").length;

/** The folders on the way, up to the first segment that may stand for several. */
function leading(pattern: string): string[] {
  const segments = pattern.split("/");
  const open = segments.findIndex((segment) => segment.includes("**") || !balanced(segment));
  return open === -1 ? segments : segments.slice(0, open);
}

export function matcher(protection: Protection): Matcher {
  const { path: pattern } = protection;
  // A folder stands for everything in it, and so does a file that is turned into one.
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
