// Names that workers and submitters share: application, schema, queues, labels.

/** The DBOS application, and the schema of its tables, beside Converge's own. */
export const APPLICATION = "converge";
export const SCHEMA = "converge_queue";

/** Version of the queue entries. Changed when old and new workers cannot read each other's: each then takes only its own. */
export const PROTOCOL = "1";

export const DRIVE = "drive";

/** One queue per set of requested labels. */
export function queueFor(labels: readonly string[]): string {
  return ["work", ...[...new Set(labels)].sort()].join(" ");
}

const MAX_LABELS = 8;
const LABEL = /^[a-z0-9][a-z0-9._-]{0,30}$/i;

/** Validates labels; returns the problem, if any. */
export function labelProblem(labels: readonly string[]): string | undefined {
  const invalid = labels.find((label) => !LABEL.test(label));
  if (invalid !== undefined)
    return `expected labels of letters, digits, dots, dashes and underscores, got "${invalid.slice(0, 80)}"`;
  return labels.length > MAX_LABELS
    ? `expected at most ${MAX_LABELS} labels, got ${labels.length}`
    : undefined;
}

/** All queues that a worker with these labels serves. */
export function queuesOf(labels: readonly string[]): string[] {
  const subsets: string[][] = [[]];
  for (const label of labels) subsets.push(...subsets.map((set) => [...set, label]));
  return subsets.map(queueFor);
}

/** The DBOS executor id of a worker. */
export const executorOf = (member: number): string => `worker-${member}`;
export const memberOf = (executor: string): number => Number(executor.replace("worker-", ""));
