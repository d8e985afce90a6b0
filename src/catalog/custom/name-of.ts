// Names a custom strategy in messages by its path relative to the current folder.
import { pathInside } from "#system/inside";

export function nameOf(module: string): string {
  const relative = pathInside(process.cwd(), module);
  return `custom strategy ${relative === undefined ? module : `./${relative}`}`;
}
