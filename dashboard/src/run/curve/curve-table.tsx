// The curve as a table for readers who cannot see it, at most a few hundred rows.
import type { IterationRow } from "#spec/overview";
import { UNKNOWN } from "#text/format";
import { describeDecision, iterationTitle, standing } from "#text/words";
import { thinned } from "./series.ts";

const MOST = 200;

export function CurveTable({ rows }: { rows: readonly IterationRow[] }) {
  const shown = thinned(rows, MOST);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table scrolls, so the keyboard must reach it.
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
              <th scope="row">{iterationTitle(row.number)}</th>
              <td>{standing(row)}</td>
              <td>{row.decision ? describeDecision(row.decision) : UNKNOWN}</td>
              <td>{row.decision?.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
