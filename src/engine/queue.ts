// Gives runs to the workers, through the queue that DBOS keeps in the shared database.
import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { Capacity } from "#spec/presence";
import type { Queue } from "#spec/queue";
import type { Submission } from "#spec/submission";
import { dbos } from "./dbos.ts";
import type { Wish } from "./drive-here.ts";
import { APPLICATION, DRIVE, PROTOCOL, queueFor, SCHEMA } from "./names.ts";
import { quietLogger } from "./quiet-logger.ts";
import { makeTables } from "./tables.ts";

const POLL_MS = 250;

/**
 * The limits as DBOS knows them, so that what cannot be driven yet waits in its order. They are kept for each queue alone; across
 * queues, and for each agent, claims hold them. With a limit the queue is divided by repository, because there workers do not
 * get into each other's way.
 */
function boundsOf({ total, perRepository }: Capacity) {
  const partition = perRepository ?? total;
  return {
    ...(total !== undefined && { globalConcurrency: total }),
    ...(partition !== undefined && { partitionConcurrency: Math.min(partition, total ?? partition) }),
    minPollingIntervalMs: POLL_MS,
  };
}

async function clientOf(url: string): Promise<DBOSClient> {
  await makeTables(url);
  return dbos().DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: SCHEMA,
    systemDatabasePoolSize: 2,
    applicationName: APPLICATION,
    logger: quietLogger(() => {}),
  });
}

/** What one entry in the queue says. */
export function entryFor(
  { labels, priority, repository }: Submission,
  wish: Wish,
  { workflowID, startAt }: { readonly workflowID: string; readonly startAt?: string },
) {
  const delayMs = startAt === undefined ? 0 : Date.parse(startAt) - Date.now();
  return {
    options: {
      queueName: queueFor(labels),
      workflowName: DRIVE,
      workflowID,
      appVersion: PROTOCOL,
      priority,
      queuePartitionKey: repository,
      ...(delayMs > 0 && { delaySeconds: delayMs / 1000 }),
    },
    args: [wish] as const,
  };
}

/** `capacity` says what the limits are now. */
export function queueAt(url: string, capacity: () => Promise<Capacity>): Queue {
  let client: Promise<DBOSClient> | undefined;
  const known = new Set<string>();
  const open = () => {
    client ??= clientOf(url);
    return client;
  };
  return {
    put: async (run, submission, { startAt, reopen = 0 } = {}) => {
      const opened = await open();
      const name = queueFor(submission.labels);
      if (!known.has(name))
        await opened.registerQueue(name, { ...boundsOf(await capacity()), onConflict: "always_update" });
      known.add(name);
      const workflowID = `${run}:${crypto.randomUUID()}`;
      const wish = { run, failures: 0, waits: 0, reopen };
      const { options, args } = entryFor(submission, wish, { workflowID, ...(startAt && { startAt }) });
      await opened.enqueue(options, ...args);
    },
    close: async () => (await client)?.destroy(),
  };
}

/** The queues there are follow the limits. Without any, the tables are made, for roles that may not. */
export async function limitQueues(url: string, capacity?: Capacity): Promise<void> {
  if (!capacity) return makeTables(url);
  const opened = await clientOf(url);
  try {
    for (const { name } of await opened.listQueues())
      await opened.registerQueue(name, { ...boundsOf(capacity), onConflict: "always_update" });
  } finally {
    await opened.destroy();
  }
}
