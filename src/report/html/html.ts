// HTML templates that escape by construction: text becomes markup only through a template, so data can never add any.
import { html as template } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { plain } from "#text/plain-text";

/** Markup. A string is not markup: a template escapes it. */
export type Html = HtmlEscapedString;

/** What a template may contain; `false` and `undefined` render as nothing. No promises, so that a page is made at once. */
export type Child = string | number | Html | false | undefined | readonly Child[];

/** Strips control characters from text, also inside lists. */
function sanitize(child: Child): Child {
  if (typeof child === "string") return plain(child);
  return Array.isArray(child) ? child.map(sanitize) : child;
}

export function html(strings: TemplateStringsArray, ...children: readonly Child[]): Html {
  const markup = template(strings, ...children.map(sanitize));
  if (markup instanceof Promise) throw new TypeError("html: expected no promise inside a template");
  return markup;
}
