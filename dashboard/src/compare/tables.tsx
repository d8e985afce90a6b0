// Tables of the comparison: numbers, gates and settings.
import type { GateCell, Overview } from "#spec/overview";
import { iterationLabel, measure, verdictSign } from "#text/words";
import { lanesOf, measuresOf, numbersIn } from "./measures.ts";
import { settingsThatDiffer } from "./settings.ts";

export interface Pair {
  readonly a: Overview;
  readonly b: Overview;
}

const LONGEST = 400;
const MOST_ITERATIONS = 100;

const shorten = (text: string) => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)} …`);

function Heads() {
  return (
    <>
      <th scope="col">
        <span class="mark-a">A</span>
      </th>
      <th scope="col">
        <span class="mark-b">B</span>
      </th>
    </>
  );
}

function Value({ text, better }: { text: string; better: boolean }) {
  return (
    <td class={better ? "better" : undefined}>
      {text}
      {better && (
        <span title="better">
          <span aria-hidden="true"> {verdictSign("passed")}</span>
          <span class="visually-hidden"> (better)</span>
        </span>
      )}
    </td>
  );
}

export function Measures({ a, b }: Pair) {
  return (
    <table class="compare-table">
      <caption class="visually-hidden">Both runs in numbers</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">Measure</span>
          </th>
          <Heads />
        </tr>
      </thead>
      <tbody>
        {measuresOf(a, b).map(({ name, better, ...values }) => (
          <tr key={name} class={values.a === values.b ? "alike" : undefined}>
            <th scope="row">{name}</th>
            <Value text={values.a} better={better === "a"} />
            <Value text={values.b} better={better === "b"} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell({ cell }: { cell: GateCell | undefined }) {
  if (!cell) return <td class="lane" />;
  const words = [cell.status, measure(cell)].filter(Boolean).join(", ");
  return (
    <td class={`lane lane-${cell.status}`} title={words}>
      <span aria-hidden="true">{verdictSign(cell.status)}</span>
      <span class="visually-hidden">{words}</span>
    </td>
  );
}

export function Gates({ a, b }: Pair) {
  const numbers = numbersIn(a.rows, b.rows).slice(-MOST_ITERATIONS);
  return (
    <table class="compare-table lanes">
      <caption class="visually-hidden">Gates of both runs by iteration</caption>
      <thead>
        <tr>
          <th scope="col">Gate</th>
          <th scope="col">Run</th>
          {numbers.map((number) => (
            <th key={number} scope="col">
              {iterationLabel(number)}
            </th>
          ))}
        </tr>
      </thead>
      {lanesOf(a.rows, b.rows).map((lane) => (
        <tbody key={lane.gate}>
          {(["a", "b"] as const).map((run) => (
            <tr key={run}>
              {run === "a" && (
                <th scope="rowgroup" rowSpan={2}>
                  {lane.gate}
                </th>
              )}
              <th scope="row">
                <span class={`mark-${run}`}>{run.toUpperCase()}</span>
              </th>
              {lane[run].slice(-MOST_ITERATIONS).map((cell, at) => (
                <Cell key={numbers[at]} cell={cell} />
              ))}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

export function Settings({ a, b }: Pair) {
  const differences = settingsThatDiffer(a.task, b.task);
  if (differences.length === 0) return <p class="soft">Both runs have the same settings.</p>;
  return (
    <table class="compare-table">
      <caption class="visually-hidden">Settings of the tasks that differ</caption>
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <Heads />
        </tr>
      </thead>
      <tbody>
        {differences.map(({ name, ...values }) => (
          <tr key={name}>
            <th scope="row" class="mono">
              {name}
            </th>
            <td>
              <pre>{shorten(values.a)}</pre>
            </td>
            <td>
              <pre>{shorten(values.b)}</pre>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
