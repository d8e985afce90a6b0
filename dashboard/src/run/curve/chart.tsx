// The chart, drawn by uPlot at the available width. Drag to zoom in, double click to reset.
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { iterationLabel } from "#text/words";
import { colourOf } from "../../colours.ts";
import { useWidth } from "../../parts/use-width.ts";
import { onColours } from "../../theme.ts";
import { drawMarks, type Marks } from "./marks.ts";
import type { Lines } from "./series.ts";

export const SERIES_COLOURS = 8;
const HEIGHT = 250;

export interface ChartProps {
  readonly lines: Lines;
  /** Indices of the hidden lines. */
  readonly hidden: ReadonlySet<number>;
  readonly marks: Omit<Marks, "colours">;
  readonly label: string;
  readonly onPoint: (at: number | undefined) => void;
  readonly onChoose: (at: number) => void;
}

const dataOf = ({ iterations, lines }: Lines): uPlot.AlignedData => [
  iterations as number[],
  ...lines.map(({ scores }) => scores as (number | null)[]),
];

function tickName(tick: number, unit: Lines["unit"]): string {
  if (unit === "failing") return Number.isInteger(tick) ? String(tick) : "";
  return tick > 1 ? "" : `${Math.round(tick * 100)}%`;
}

function optionsOf(host: HTMLElement, width: number, now: () => ChartProps): uPlot.Options {
  const colour = (name: string) => colourOf(host, name);
  const colours = {
    text: colour("--text"),
    back: colour("--card"),
    best: colour("--good"),
    chosen: colour("--accent"),
  };
  const axis = {
    stroke: colour("--soft"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  };
  const { lines, hidden } = now();
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: {
      x: { time: false },
      y: { range: (_, __, most) => [0, (lines.unit === "score" ? 1 : Math.max(1, most)) * 1.06] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
        values: (_, ticks) => ticks.map(iterationLabel),
      },
      {
        ...axis,
        size: 52,
        values: (_, ticks) => ticks.map((tick) => tickName(tick, lines.unit)),
      },
    ],
    series: [
      {},
      ...lines.lines.map(({ dashed }, at) => ({
        show: !hidden.has(at),
        stroke: colour(`--series-${at % SERIES_COLOURS}`),
        width: at === 0 || dashed ? 2.5 : 1.25,
        ...(dashed && { dash: [8, 6] }),
        points: { show: lines.iterations.length <= 60, size: 5 },
        spanGaps: true,
      })),
    ],
    hooks: {
      draw: [(chart) => drawMarks(chart, { ...now().marks, colours })],
      setCursor: [({ cursor }) => now().onPoint(cursor.idx ?? undefined)],
    },
  };
}

/** Ignores clicks that end a zoom selection. */
function onClick(chart: uPlot, choose: (at: number) => void): void {
  let from = 0;
  chart.over.addEventListener("mousedown", ({ clientX }) => {
    from = clientX;
  });
  chart.over.addEventListener("click", ({ clientX }) => {
    const { idx } = chart.cursor;
    if (Math.abs(clientX - from) < 4 && typeof idx === "number") choose(idx);
  });
}

function showsAll(chart: uPlot): boolean {
  const [x] = chart.data;
  return chart.scales.x?.min === x[0] && chart.scales.x?.max === x.at(-1);
}

export function Chart(props: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const newest = useRef(props);
  newest.current = props;
  const chart = useRef<uPlot>(undefined);
  const width = useWidth(host);
  const [colours, setColours] = useState(0);
  useEffect(() => onColours(() => setColours((before) => before + 1)), []);

  const names = props.lines.lines.map(({ gate }) => gate).join("\n");
  const few = props.lines.iterations.length <= 60;
  useEffect(() => {
    if (!host.current || width === 0) return;
    const made = new uPlot(
      optionsOf(host.current, width, () => newest.current),
      dataOf(props.lines),
      host.current,
    );
    onClick(made, (at) => newest.current.onChoose(at));
    chart.current = made;
    return () => made.destroy();
  }, [width, colours, names, few, props.lines.unit]);

  useEffect(() => {
    const { current } = chart;
    if (current) current.setData(dataOf(props.lines), showsAll(current));
  }, [props.lines]);

  useEffect(() => {
    const { current } = chart;
    props.lines.lines.forEach((_, at) => {
      const show = !props.hidden.has(at);
      if (current && current.series[at + 1]?.show !== show) current.setSeries(at + 1, { show });
    });
  }, [props.hidden, props.lines]);

  const { best, chosen } = props.marks;
  useEffect(() => chart.current?.redraw(false), [best, chosen]);

  return <div class="chart" ref={host} role="img" aria-label={props.label} />;
}
