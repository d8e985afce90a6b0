// The names that all workers and everybody who gives them work agree on.

/** The application and its tables in the database, beside those of the runs. */
export const APPLICATION = "converge";
export const SCHEMA = "converge_queue";

/** Changed when workers of before and after would not understand each other's entries: each then takes only its own. */
export const PROTOCOL = "1";

export const DRIVE = "drive";

/** One queue for each set of labels that was asked for. */
export function queueFor(labels: readonly string[]): string {
  return ["work", ...[...new Set(labels)].sort()].join(" ");
}

const MOST_LABELS = 8;
const LABEL = /^[a-z0-9][a-z0-9._-]{0,30}$/i;

/** What is wrong with the labels, if anything. */
export function labelProblem(labels: readonly string[]): string | undefined {
  const odd = labels.find((label) => !LABEL.test(label));
  if (odd !== undefined)
    return `expected labels of letters, digits, dots, dashes and underscores, got "${odd.slice(0, 80)}"`;
  return labels.length > MOST_LABELS
    ? `expected at most ${MOST_LABELS} labels, got ${labels.length}`
    : undefined;
}

/** Every queue that a worker with these labels can serve. */
export function queuesOf(labels: readonly string[]): string[] {
  const subsets: string[][] = [[]];
  for (const label of labels) subsets.push(...subsets.map((set) => [...set, label]));
  return subsets.map(queueFor);
}

/** How DBOS knows the worker with this number. */
export const executorOf = (member: number): string => `worker-${member}`;
export const memberOf = (executor: string): number => Number(executor.replace("worker-", ""));
