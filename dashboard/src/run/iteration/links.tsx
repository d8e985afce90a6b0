// Links to the output and the changes of an iteration.
import { iterationName } from "#text/words";
import { href } from "../../router.ts";
import { useRun } from "../run-context.ts";

export function Links({ number }: { number: number }) {
  const { id } = useRun().overview;
  const name = iterationName(number);
  return (
    <>
      <a href={`${href("runs", id, "output")}?iteration=${number}`} aria-label={`Output of ${name}`}>
        Output
      </a>
      {number > 0 && (
        <a href={`${href("runs", id, "changes")}?of=${number}`} aria-label={`Changes of ${name}`}>
          Changes
        </a>
      )}
    </>
  );
}
