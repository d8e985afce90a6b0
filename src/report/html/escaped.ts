// Escapes text for HTML elements and attributes.
import { plain } from "#text/plain-text";

export function escaped(text: string): string {
  return plain(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
