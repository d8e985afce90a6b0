// Text on a page is text: whatever it says, it does not become markup, in an element or in an attribute.
import { plain } from "#text/plain-text";

export function escaped(text: string): string {
  return plain(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
