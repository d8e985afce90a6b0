// The files of the page, as they were built. Only files that there are: a path in a URL is looked up, never joined.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { text } from "./http/reply.ts";

/** Two folders up is the package, from the sources, from what is built of them, and from the bundle. */
const BUILT = fileURLToPath(new URL("../../dist/dashboard/", import.meta.url));

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

/** Their names have a hash of what is in them. */
const FOREVER = "public, max-age=31536000, immutable";

const HINT =
  "The page is not built here; `npm run build` builds it. The API is there all the same: see /api/v1/health.\n";

function filesIn(dir: string): Map<string, string> {
  if (!fs.existsSync(dir)) return new Map();
  const files = fs.readdirSync(dir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return new Map(
    files.map((one) => {
      const file = path.join(one.parentPath, one.name);
      return [`/${path.relative(dir, file).split(path.sep).join("/")}`, file];
    }),
  );
}

export function page(request: Request, wanted: string, dir = BUILT): Response {
  if (request.method !== "GET" && request.method !== "HEAD") return text("expected GET\n", undefined, 405);
  const files = filesIn(dir);
  const file = files.get(wanted === "/" ? "/index.html" : wanted);
  if (file === undefined)
    return text(
      files.size === 0 && wanted === "/" ? HINT : "not found\n",
      undefined,
      wanted === "/" ? 200 : 404,
    );
  const headers = {
    "content-type": TYPES[path.extname(file)] ?? "application/octet-stream",
    "cache-control": wanted.startsWith("/assets/") ? FOREVER : "no-cache",
  };
  return new Response(fs.readFileSync(file), { headers });
}
