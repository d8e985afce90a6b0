import type { App } from "../open.ts";
export async function bundleWorkspace(_app: App, _id: string, _dir: string): Promise<{ tree: string }> {
  return { tree: "" };
}
