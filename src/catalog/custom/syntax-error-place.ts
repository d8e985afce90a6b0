// Finds file and line of a syntax error through the inspector, because Node's own error lacks them.
import { dirname, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const SLOT = "syntaxErrorOfCustomModule";

/** The location as text, or undefined when the inspector fails. A failure here must not hide the syntax error. */
export async function syntaxErrorPlace(module: string): Promise<string | undefined> {
  try {
    return await inspectFailure(module);
  } catch {
    return undefined;
  }
}

/** Imports the module again under the inspector. No code runs, because the module does not parse. */
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
    // A script that was not parsed again comes from the module cache, so it is an imported file.
    if (!url) return `line ${line} of a file that it imports`;
    return `${relative(dirname(module), fileURLToPath(url))}:${line}`;
  } finally {
    Reflect.deleteProperty(globalThis, SLOT);
    session.disconnect();
  }
}
