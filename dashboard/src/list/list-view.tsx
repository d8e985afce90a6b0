// View: all runs, newest first, live.
import { useMemo, useRef } from "preact/hooks";
import type { StateWord } from "#spec/overview";
import { counted } from "#text/format";
import { useShortcuts } from "../shortcuts.ts";
import type { ViewProps } from "../views.ts";
import { CannotLoad, NoMatch, NoRuns } from "./empty.tsx";
import { Filters } from "./filters.tsx";
import { rowOf } from "./run-row.tsx";
import { type Filter, isFiltered, type Page, STATES } from "./runs.ts";
import { useRuns } from "./use-runs.ts";

function useFilter(query: URLSearchParams): Filter {
  const [state, text, workspace] = ["state", "q", "workspace"].map((key) => query.get(key) ?? "");
  return useMemo(() => {
    const words = (state ?? "").split(",");
    const states = STATES.filter((each: StateWord) => words.includes(each));
    return { states, text: text ?? "", workspace: workspace ?? "" };
  }, [state, text, workspace]);
}

/** Moves the focus from run to run. */
function focusRun(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(".run-link")];
  const at = links.indexOf(document.activeElement as HTMLElement);
  links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
}

function RunTable({ page, more }: { page: Page; more: () => Promise<void> }) {
  return (
    <>
      <table class="runs">
        <caption class="visually-hidden">Runs, newest first</caption>
        <thead>
          <tr>
            {["State", "Run", "Score", "Iterations", "Gates", "Cost", "Started", "Workspace"].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{page.runs.map(rowOf)}</tbody>
      </table>
      <p class="more">
        <span class="soft">
          {page.runs.length} of {counted(page.total, "run")}
        </span>
        {page.next !== undefined && (
          <button type="button" onClick={more}>
            Show more runs
          </button>
        )}
      </p>
    </>
  );
}

export default function ListView({ query }: ViewProps) {
  const filter = useFilter(query);
  const { page, error, connection, more } = useRuns(filter);
  const input = useRef<HTMLInputElement>(null);
  useShortcuts([
    { key: "j", does: "next run", run: () => focusRun(1) },
    { key: "k", does: "previous run", run: () => focusRun(-1) },
    { key: "/", does: "search", run: () => input.current?.focus() },
  ]);
  const empty = page?.runs.length === 0;
  return (
    <>
      <div class="list-head">
        <h1>Runs</h1>
        <span class="soft" role="status">
          {connection === "reconnecting" && "Reconnecting …"}
        </span>
      </div>
      <Filters filter={filter} input={input} />
      {error !== undefined && <CannotLoad error={error} />}
      {!page && error === undefined && <p class="loading">Loading …</p>}
      {page && empty && (isFiltered(filter) ? <NoMatch /> : <NoRuns />)}
      {page && !empty && <RunTable page={page} more={more} />}
    </>
  );
}
