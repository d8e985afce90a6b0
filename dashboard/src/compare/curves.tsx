// Score curves of two runs in one chart.
import { useMemo, useRef } from "preact/hooks";
import { percent } from "#text/format";
import { iterationTitle } from "#text/words";
import { Chart } from "../run/curve/chart.tsx";
import { numbersIn } from "./measures.ts";
import type { Pair } from "./tables.tsx";

const NONE: ReadonlySet<number> = new Set();

function scoresOf({ rows }: Pair["a"], numbers: readonly number[]): readonly (number | null)[] {
  const byNumber = new Map(rows.map(({ number, score }) => [number, score]));
  return numbers.map((number) => byNumber.get(number) ?? null);
}

const describe = (score: number | null | undefined) =>
  typeof score === "number" ? percent(score) : "not judged";

export function Curves({ a, b }: Pair) {
  const readout = useRef<HTMLParagraphElement>(null);
  const lines = useMemo(() => {
    const iterations = numbersIn(a.rows, b.rows);
    return {
      iterations,
      unit: "score" as const,
      lines: [
        { gate: "A", scores: scoresOf(a, iterations) },
        { gate: "B", scores: scoresOf(b, iterations), dashed: true as const },
      ],
    };
  }, [a, b]);
  const [first, second] = lines.lines;
  const onPoint = (at: number | undefined) => {
    if (!readout.current) return;
    readout.current.textContent =
      at === undefined
        ? ""
        : `${iterationTitle(lines.iterations[at] ?? 0)}: A ${describe(first?.scores[at])}, B ${describe(second?.scores[at])}`;
  };
  if (lines.iterations.length === 0) return <p class="soft">No gate has judged either run yet.</p>;
  return (
    <>
      <Chart
        lines={lines}
        hidden={NONE}
        marks={{ rows: [], unit: "score" }}
        label={`Scores by iteration: run A ends at ${describe(a.score)}, run B at ${describe(b.score)}`}
        onPoint={onPoint}
        onChoose={() => {}}
      />
      <p class="readout soft" ref={readout} aria-hidden="true" />
    </>
  );
}
