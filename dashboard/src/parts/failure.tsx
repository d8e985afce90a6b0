// What could not be had, and why; nothing when there is no error.
import { wordsOf } from "../api.ts";
import { Notice } from "./notice.tsx";

export function Failure({ error }: { readonly error: unknown }) {
  if (error === undefined) return null;
  return (
    <Notice tone="bad">
      <p>{wordsOf(error)}</p>
    </Notice>
  );
}
