// Where a module that does not parse went wrong. Node keeps that to itself; the inspector knows.
import { dirname, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const SLOT = "syntaxErrorOfCustomModule";

/** The place in words, or nothing where it cannot be found out: it is a courtesy and must not hide the error. */
export async function syntaxErrorPlace(module: string): Promise<string | undefined> {
  try {
    return await inspectFailure(module);
  } catch {
    return undefined;
  }
}

/** Imports it once more, which runs none of its code since it does not parse, and watches the parser. */
async function inspectFailure(module: string): Promise<string | undefined> {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  const urls = new Map<string, string>();
  session.connect();
  try {
    session.on("Debugger.scriptFailedToParse", ({ params }) => urls.set(params.scriptId, params.url));
    await session.post("Debugger.enable");
    const error: unknown = await import(`${pathToFileURL(module).href}?again`).catch((thrown) => thrown);
    Reflect.set(globalThis, SLOT, error);
    const { result } = await session.post("Runtime.evaluate", { expression: `globalThis.${SLOT}` });
    const { exceptionDetails } = (await session.post("Runtime.getExceptionDetails", {
      errorObjectId: result.objectId,
    })) as unknown as { exceptionDetails: { scriptId: string; lineNumber: number } };
    const line = exceptionDetails.lineNumber + 1;
    const url = urls.get(exceptionDetails.scriptId)?.replace(/\?again$/, "");
    // Not parsed this time, so it is cached, so it is not the module itself.
    if (!url) return `line ${line} of a file that it imports`;
    return `${relative(dirname(module), fileURLToPath(url))}:${line}`;
  } finally {
    Reflect.deleteProperty(globalThis, SLOT);
    session.disconnect();
  }
}
