// All runs, newest first.
import { useEffect, useState } from "preact/hooks";
import type { Summary } from "#spec/overview";
import { get } from "../api.ts";
import { href } from "../router.ts";

export default function ListView() {
  const [runs, setRuns] = useState<readonly Summary[]>([]);
  useEffect(() => {
    get<{ runs: Summary[] }>("/runs").then(
      ({ runs: found }) => setRuns(found),
      () => {},
    );
  }, []);
  return (
    <ul>
      {runs.map(({ id, title }) => (
        <li key={id}>
          <a href={href("runs", id)}>{title}</a>
        </li>
      ))}
    </ul>
  );
}
