// Hook for the details of one iteration, fetched again when its row changes.
import { useEffect, useState } from "preact/hooks";
import type { IterationDetail } from "#spec/overview";
import { get, runPath } from "../../api.ts";
import { useRun } from "../run-context.ts";

interface Found {
  readonly detail?: IterationDetail;
  readonly error?: unknown;
}

export function useDetail(number: number): Found {
  const { id, rows, seq } = useRun().overview;
  const [found, setFound] = useState<Found>({});
  const isLast = rows.at(-1)?.number === number;
  // Commands about the last iteration are not in its row, so every event may change it.
  const version = isLast ? seq : JSON.stringify(rows.find((row) => row.number === number) ?? "");
  useEffect(() => {
    const aborting = new AbortController();
    get<IterationDetail>(runPath(id, `/iterations/${number}`), aborting.signal).then(
      (detail) => setFound({ detail }),
      (error: unknown) => {
        if (!aborting.signal.aborted) setFound((before) => ({ ...before, error }));
      },
    );
    return () => aborting.abort();
  }, [id, number, version]);
  // Do not show the details of another iteration.
  return found.detail && found.detail.row.number !== number ? {} : found;
}
