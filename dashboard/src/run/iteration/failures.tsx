// Failures of a gate, one per test.
import { useState } from "preact/hooks";
import type { Failure } from "#spec/verdict";

const FIRST = 50;

function FailureItem({ id, message, location, expected, actual }: Failure) {
  return (
    <li class="failure">
      {id !== undefined && <strong class="failure-id">{id}</strong>}
      {location !== undefined && <code class="soft">{location}</code>}
      <pre>{message}</pre>
      {(expected !== undefined || actual !== undefined) && (
        <dl class="expected">
          <div>
            <dt>expected</dt>
            <dd>
              <pre>{expected ?? "–"}</pre>
            </dd>
          </div>
          <div>
            <dt>actual</dt>
            <dd>
              <pre>{actual ?? "–"}</pre>
            </dd>
          </div>
        </dl>
      )}
    </li>
  );
}

export function Failures({ failures }: { failures: readonly Failure[] }) {
  const [all, setAll] = useState(false);
  if (failures.length === 0) return null;
  const shown = all ? failures : failures.slice(0, FIRST);
  return (
    <>
      <ul class="failures" aria-label="Failures">
        {shown.map((failure, at) => (
          <FailureItem key={at} {...failure} />
        ))}
      </ul>
      {shown.length < failures.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {failures.length} failures
        </button>
      )}
    </>
  );
}
