// Files that come with this package, wherever it is installed.
import { fileURLToPath } from "node:url";

/** By its path in the package. This module lies two folders below its root, built, bundled or as source. */
export function packageFile(name: string): string {
  return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}
