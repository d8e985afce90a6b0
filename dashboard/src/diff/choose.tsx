// Select boxes for the snapshots to compare.
import { setQuery } from "../router.ts";
import { offered } from "../run/offered.ts";
import type { Choice } from "./choice.ts";

interface SnapshotsProps {
  readonly label: string;
  readonly value: string;
  readonly iterations: readonly number[];
  readonly onChange: (name: string) => void;
}

function Snapshots({ label, value, iterations, onChange }: SnapshotsProps) {
  const names = ["base", ...offered(iterations, Number(value)).map(String), "best", "last", "now"];
  return (
    <label class="inline">
      {label}{" "}
      <select
        aria-label={`Changes ${label}`}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {/^\d+$/.test(name) ? `iteration ${name}` : name}
          </option>
        ))}
      </select>
    </label>
  );
}

const TWO = "two";

export function ChooseDiff({ choice, iterations }: { choice: Choice; iterations: readonly number[] }) {
  const value = choice.kind === "two" ? TWO : choice.kind === "whole" ? "whole" : choice.name;
  const numbers = offered(iterations, Number(value)).map(String);
  const onChoose = (next: string) => {
    const two = next === TWO ? { from: "base", to: "last" } : { from: undefined, to: undefined };
    setQuery({ of: next === TWO || next === "whole" ? undefined : next, ...two });
  };
  return (
    <div class="diff-choose">
      <label class="inline">
        of{" "}
        <select
          aria-label="Changes of"
          value={value}
          onChange={(event) => onChoose(event.currentTarget.value)}
        >
          <option value="whole">the whole run</option>
          {numbers.map((number) => (
            <option key={number} value={number}>
              iteration {number}
            </option>
          ))}
          <option value="now">the folder since the last snapshot</option>
          <option value={TWO}>two snapshots …</option>
        </select>
      </label>
      {choice.kind === "two" && (
        <>
          <Snapshots
            label="from"
            value={choice.from}
            iterations={iterations}
            onChange={(from) => setQuery({ from, to: choice.to })}
          />
          <Snapshots
            label="to"
            value={choice.to}
            iterations={iterations}
            onChange={(to) => setQuery({ from: choice.from, to })}
          />
        </>
      )}
    </div>
  );
}
