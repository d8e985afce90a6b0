// Serves the built page from a fixed map of files, so a URL can never reach another path.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { walk } from "#system/walk";
import { text } from "./http/reply.ts";

/** The package root is two folders up from the sources, the compiled files and the bundle alike. */
const BUILT_DIR = fileURLToPath(new URL("../../dist/dashboard/", import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

/** Asset names contain a content hash. */
const CACHE_FOREVER = "public, max-age=31536000, immutable";

const HINT =
  "The page is not built. Build it with: npm run build. The API works without it: see /api/v1/health.\n";

function filesIn(dir: string): Map<string, string> {
  if (!fs.existsSync(dir)) return new Map();
  const files = [...walk(dir)].filter(({ entry }) => entry.isFile());
  return new Map(files.map(({ name }) => [`/${name}`, path.join(dir, name)]));
}

export function page(request: Request, pathname: string, dir = BUILT_DIR): Response {
  if (request.method !== "GET" && request.method !== "HEAD") return text("expected GET\n", undefined, 405);
  const files = filesIn(dir);
  const file = files.get(pathname === "/" ? "/index.html" : pathname);
  if (file === undefined)
    return text(
      files.size === 0 && pathname === "/" ? HINT : "not found\n",
      undefined,
      pathname === "/" ? 200 : 404,
    );
  const headers = {
    "content-type": TYPES[path.extname(file)] ?? "application/octet-stream",
    "cache-control": pathname.startsWith("/assets/") ? CACHE_FOREVER : "no-cache",
  };
  return new Response(fs.readFileSync(file), { headers });
}
