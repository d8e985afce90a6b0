// The curve for those who do not see it: the same numbers as a table, at most a few hundred of them.
import type { IterationRow } from "#spec/overview";
import { standing } from "../../format.ts";
import { decisionKind } from "../decision-kind.ts";
import { iterationName } from "../names.ts";
import { thinned } from "./series.ts";

const MOST = 200;

export function CurveTable({ rows }: { rows: readonly IterationRow[] }) {
  const shown = thinned(rows, MOST);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table scrolls, also by keys.
    <section class="scroll" tabIndex={0} aria-label="Scores as a table">
      <table class="plain-table">
        <caption>
          Score and decision of{" "}
          {shown.length === rows.length ? "every iteration" : `${MOST} of ${rows.length} iterations`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Iteration</th>
            <th scope="col">Score</th>
            <th scope="col">Decision</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.number}>
              <th scope="row">{iterationName(row.number)}</th>
              <td>{standing(row)}</td>
              <td>{row.decision ? decisionKind(row.decision) : "–"}</td>
              <td>{row.decision?.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
