// converge limits: shows or sets the concurrency limits that all workers share.
import type { Capacity } from "#spec/presence";
import type { Command, Option } from "../support/command.ts";
import { print } from "../support/messages.ts";
import { sharedPresence } from "../support/open-run.ts";
import { positiveInt } from "../support/values.ts";

type Limit = keyof Capacity;

const LIMITS: Readonly<Record<Limit, { readonly flag: string; readonly words: string }>> = {
  total: { flag: "--total", words: "in total" },
  perRepository: { flag: "--per-repository", words: "per repository" },
  perAgent: { flag: "--per-agent", words: "per agent" },
};

/** Undefined removes the limit. */
type Change = Partial<Record<Limit, number | undefined>>;

function changeFrom(flags: Partial<Record<Limit, string>>): Change {
  const values = (Object.entries(flags) as [Limit, string][]).map(
    ([name, value]) => [name, value === "none" ? undefined : positiveInt(LIMITS[name].flag, value)] as const,
  );
  return Object.fromEntries(values);
}

function withoutRemoved(limits: Change): Capacity {
  return Object.fromEntries(Object.entries(limits).filter(([, number]) => number !== undefined));
}

const options = Object.values(LIMITS).map(
  ({ flag, words }): Option => ({ flags: `${flag} <n>`, description: `maximum ${words}, or none` }),
);

export const command: Command = {
  name: "limits",
  description: "set how many runs all workers together drive at once; without options, show the limits",
  options,
  examples: [
    "converge limits --total 20 --per-repository 1 --per-agent 8",
    "converge limits --per-agent none",
  ],
  async run(_args: [], flags: Partial<Record<Limit, string>>) {
    const change = changeFrom(flags);
    const { presence, url } = await sharedPresence();
    const after = withoutRemoved({ ...(await presence.capacity()), ...change });
    const isChange = Object.keys(flags).length > 0;
    if (isChange) await presence.limit(after);
    const { limitQueues } = await import("#engine/queue");
    await limitQueues(url, isChange ? after : undefined);
    for (const [name, { words }] of Object.entries(LIMITS) as [Limit, (typeof LIMITS)[Limit]][]) {
      const max = after[name];
      print(`runs at once ${words}: ${max === undefined ? "no limit" : `at most ${max}`}`);
    }
    return 0;
  },
};
