// Throttle: runs the work at most once per interval, and once more if it was asked for meanwhile.

export interface Paced {
  ask(): void;
  cancel(): void;
}

export function atMostEvery(ms: number, work: () => Promise<void>): Paced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let busy = false;
  let wanted = false;
  let cancelled = false;
  let last = Number.NEGATIVE_INFINITY;

  const start = async () => {
    timer = undefined;
    wanted = false;
    busy = true;
    last = Date.now();
    await work().catch(() => {});
    busy = false;
    if (wanted) schedule();
  };
  const schedule = () => {
    if (cancelled) return;
    wanted = true;
    if (busy || timer !== undefined) return;
    timer = setTimeout(start, Math.max(0, last + ms - Date.now()));
  };
  return {
    ask: schedule,
    cancel() {
      cancelled = true;
      clearTimeout(timer);
    },
  };
}
