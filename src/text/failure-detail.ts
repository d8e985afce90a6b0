// The identity of a diagnostic holds its message ("a.ts: TS2322 Type …"), so that showing both would say it twice.
import type { Failure } from "#spec/verdict";

/** What the message adds to the identity. */
export function detailBeyondId({ id, message }: Failure): string {
  const [first = "", ...rest] = message.split("\n");
  const said = first.replace(/\s+/g, " ").trim();
  return id?.includes(`: ${said}`) ? rest.join("\n") : message;
}
