// Formats a protection for users: a path, with `#` and the keys of a JSON value, or with the protected part.
import type { FilePart, Protection } from "#spec/task";

/** A key without quotes; any other is written as a JSON string: `package.json#exports."./core"`. */
const BARE_KEY = /^[^\s."#/*]+$/;

const PART_NAMES: Readonly<Record<FilePart["kind"], (name: string) => string>> = {
  "make-target": (name) => `target ${name}`,
  "just-recipe": (name) => `recipe ${name}`,
  "rust-tests": () => "inline tests",
  toml: (name) => name,
  ini: (name) => name,
  calls: () => "calls that run tests",
  "maven-tests": () => "settings of tests",
  "gradle-tests": () => "settings of tests",
  doctests: () => "doctests",
  "vitest-blocks": () => "inline tests",
  "go-main": () => "TestMain",
  content: () => "not empty",
};

export function protectionName({ path, key, part }: Pick<Protection, "path" | "key" | "part">): string {
  if (part) return `${path} (${PART_NAMES[part.kind](part.name ?? "")})`;
  if (!key) return path;
  return `${path}#${key.map((each) => (BARE_KEY.test(each) ? each : JSON.stringify(each))).join(".")}`;
}
