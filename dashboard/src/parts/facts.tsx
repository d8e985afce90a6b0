// List of names and values; entries without a value are left out.
import type { ComponentChildren } from "preact";

export type Fact = readonly [name: string, value: ComponentChildren];

const isNothing = (value: ComponentChildren) =>
  value === undefined || value === null || value === "" || value === false;

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => !isNothing(value))
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
