// Scores as a small line. Hidden from screen readers: the text beside it says the same.
import { sparkPoints } from "./spark-points.ts";

const WIDTH = 96;
const HEIGHT = 26;

export function Sparkline({ scores }: { scores: readonly number[] }) {
  const points = sparkPoints(scores, WIDTH, HEIGHT);
  const last = points.at(-1);
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <line class="spark-goal" x1={0} y1={3} x2={WIDTH} y2={3} />
      {points.length > 1 && (
        <polyline class="spark-line" points={points.map((at) => at.join(",")).join(" ")} />
      )}
      {last && <circle class="spark-dot" cx={last[0]} cy={last[1]} r={2.5} />}
    </svg>
  );
}
