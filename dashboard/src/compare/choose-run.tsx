// Select box for a run.
import type { Summary } from "#spec/overview";
import { moment } from "#text/format";
import { stateName } from "#text/words";

export interface ChooseRunProps {
  readonly label: string;
  readonly runs: readonly Summary[];
  readonly value: string;
  readonly onChange: (id: string) => void;
}

function nameOf({ id, title, state, partial, startedAt }: Summary): string {
  const short = title.length > 50 ? `${title.slice(0, 50)}…` : title;
  return `${short || id} · ${stateName(state, partial)} · ${moment(startedAt)} · ${id}`;
}

export function ChooseRun({ label, runs, value, onChange }: ChooseRunProps) {
  const listed = value === "" || runs.some(({ id }) => id === value);
  return (
    <label class="grow">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">Choose a run …</option>
        {!listed && <option value={value}>{value}</option>}
        {runs.map((run) => (
          <option key={run.id} value={run.id}>
            {nameOf(run)}
          </option>
        ))}
      </select>
    </label>
  );
}
