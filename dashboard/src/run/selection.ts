// The selected iteration and gate, kept in the address so that a link restores them.
import { place, setQuery } from "../router.ts";
import { useStore } from "../store.ts";
import { useRun } from "./run-context.ts";

export interface Selection {
  readonly iteration?: number;
  readonly gate?: string;
  /** Whether the user selected it; otherwise it is the newest. */
  readonly chosen: boolean;
}

export function select(iteration: number, gate?: string): void {
  setQuery({ i: String(iteration), gate });
}

export function useSelection(): Selection {
  const { query } = useStore(place);
  const { rows } = useRun().overview;
  const [given, gate] = [query.get("i"), query.get("gate")];
  const wanted = given === null ? undefined : Number(given);
  const found = rows.find(({ number }) => number === wanted);
  const iteration = found?.number ?? rows.at(-1)?.number;
  return {
    ...(iteration !== undefined && { iteration }),
    ...(gate !== null && { gate }),
    chosen: found !== undefined,
  };
}
