// Names a custom strategy in messages by its path relative to the current folder.
import { relative } from "node:path";

export function nameOf(module: string): string {
  const relativePath = relative(process.cwd(), module);
  return `custom strategy ${relativePath.startsWith("..") ? module : `./${relativePath}`}`;
}
