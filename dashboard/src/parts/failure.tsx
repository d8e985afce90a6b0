// Shows an error; renders nothing without one.
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
