// Hash router: the fragment of the address (`#/runs/ID?x=1`) selects the view. A pattern names its parts: `/runs/:id`.
import { store } from "./store.ts";

export type Params = Readonly<Record<string, string>>;

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

export function placeOf(hash: string): Place {
  const [path = "", search = ""] = hash.replace(/^#/, "").split("?", 2);
  return { path: path.startsWith("/") ? path : "/", query: new URLSearchParams(search) };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The named parts of the path; undefined when it does not match. */
export function match(pattern: string, path: string): Params | undefined {
  const wanted = pattern.split("/");
  const given = path.replace(/(.)\/$/, "$1").split("/");
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = decoded(given[at] ?? "");
    if (value === undefined) return undefined;
    if (part.startsWith(":")) params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}

/** The address of a view: `href("runs", id)`. */
export function href(...parts: readonly (string | number)[]): string {
  return `#/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

export const place = store<Place>(placeOf(typeof location === "undefined" ? "" : location.hash));

export function watchPlace(): void {
  addEventListener("hashchange", () => place.set(placeOf(location.hash)));
  place.set(placeOf(location.hash));
}

export function go(to: string): void {
  location.hash = to;
}

/** Changes the query of the address without a history entry. */
export function setQuery(values: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = place.get();
  const next = new URLSearchParams(query);
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined || value === "") next.delete(key);
    else next.set(key, value);
  }
  const search = next.toString();
  history.replaceState(null, "", `#${path}${search && `?${search}`}`);
  place.set({ path, query: next });
}
