// How messages name a custom strategy: by its path as a person in the current folder would write it.
import { relative } from "node:path";

export function nameOf(module: string): string {
  const near = relative(process.cwd(), module);
  return `custom strategy ${near.startsWith("..") ? module : `./${near}`}`;
}
