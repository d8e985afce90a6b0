// Imports the user's module and returns the export, with a specific message for each kind of failure.
import { dirname, extname } from "node:path";
import { pathToFileURL } from "node:url";
import { types } from "node:util";
import type { Order } from "./messages.ts";
import { describeError, placeOf } from "./preview.ts";
import { Refusal } from "./refusal.ts";
import { syntaxErrorPlace } from "./syntax-error-place.ts";

export async function loadExport(order: Order): Promise<unknown> {
  const namespace = await importModule(order.module);
  if (order.exportName in namespace) return namespace[order.exportName];
  // Newer versions of Node list "module.exports" among the exports of a CommonJS module.
  const names = Object.keys(namespace).filter((name) => name !== "module.exports");
  throw new Refusal(`has no export "${order.exportName}"; its exports are: ${names.join(", ") || "none"}`);
}

async function importModule(module: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(module).href);
  } catch (error) {
    throw new Refusal(await explain(error, module));
  }
}

async function explain(error: unknown, module: string): Promise<string> {
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ERR_UNKNOWN_FILE_EXTENSION") {
    return /^\.[cm]?ts$/.test(extname(module))
      ? `Node 22.18+ can load TypeScript; this is ${process.version}: compile it or rename to .mjs`
      : `expected a .js, .mjs or .ts file, got "${extname(module)}"`;
  }
  const problem = describeError(error, module);
  if (!types.isNativeError(error) || error.name !== "SyntaxError")
    return `threw while it was loaded: ${problem}`;
  const place = placeOf(error, dirname(module)) ? undefined : await syntaxErrorPlace(module);
  return `cannot be parsed: ${problem}${place ? ` (${place})` : ""}`;
}
