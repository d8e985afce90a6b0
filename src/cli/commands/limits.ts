// converge limits: shows or sets the concurrency limits that all workers share.
import type { Capacity } from "#spec/presence";
import { whole } from "../support/positive-int.ts";
import { sharedPresence } from "../support/shared-presence.ts";

export interface LimitFlags {
  readonly total?: string;
  readonly perRepository?: string;
  readonly perAgent?: string;
}

type Limit = keyof Capacity;

const LIMITS: Readonly<Record<Limit, { readonly flag: string; readonly words: string }>> = {
  total: { flag: "--total", words: "together" },
  perRepository: { flag: "--per-repository", words: "in one repository" },
  perAgent: { flag: "--per-agent", words: "with one agent" },
};

/** Undefined removes the limit. */
type Wanted = Partial<Record<Limit, number | undefined>>;

function wantedBy(flags: LimitFlags): Wanted {
  const given = (Object.entries(flags) as [Limit, string][]).map(
    ([name, value]) => [name, value === "none" ? undefined : whole(LIMITS[name].flag, value)] as const,
  );
  return Object.fromEntries(given);
}

function withoutNone(wanted: Wanted): Capacity {
  return Object.fromEntries(Object.entries(wanted).filter(([, number]) => number !== undefined));
}

export async function limits(flags: LimitFlags): Promise<number> {
  const wanted = wantedBy(flags);
  const { presence, url } = sharedPresence();
  const after = withoutNone({ ...(await presence.capacity()), ...wanted });
  const isChange = Object.keys(flags).length > 0;
  if (isChange) await presence.limit(after);
  await (await import("#engine/queue")).limitQueues(url, isChange ? after : undefined);
  for (const [name, { words }] of Object.entries(LIMITS) as [Limit, (typeof LIMITS)[Limit]][]) {
    const most = after[name];
    process.stdout.write(`${most === undefined ? "any number" : `at most ${most}`} at once ${words}\n`);
  }
  return 0;
}
