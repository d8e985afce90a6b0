// Submits runs to the workers through the DBOS queue in the shared database.
import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { Capacity } from "#spec/presence";
import type { Queue, Submission } from "#spec/submission";
import { dbos } from "./dbos.ts";
import type { QueueEntry } from "./drive-here.ts";
import { APPLICATION, DRIVE, PROTOCOL, queueFor, SCHEMA } from "./names.ts";
import { quietLogger } from "./quiet-logger.ts";
import { makeTables } from "./tables.ts";

const POLL_MS = 250;

/**
 * Concurrency limits as DBOS settings, so that waiting runs keep their order. DBOS applies them per queue; claims enforce
 * them across queues and per agent. With a limit, the queue is partitioned by repository, where workers do not contend.
 */
function queueSettings({ total, perRepository }: Capacity) {
  const partition = perRepository ?? total;
  return {
    ...(total !== undefined && { globalConcurrency: total }),
    ...(partition !== undefined && { partitionConcurrency: Math.min(partition, total ?? partition) }),
    minPollingIntervalMs: POLL_MS,
  };
}

async function openClient(url: string): Promise<DBOSClient> {
  await makeTables(url);
  return dbos().DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: SCHEMA,
    systemDatabasePoolSize: 2,
    applicationName: APPLICATION,
    logger: quietLogger(() => {}),
  });
}

/** Builds one queue entry. */
export function entryFor(
  { labels, priority, repository }: Submission,
  entry: QueueEntry,
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
    args: [entry] as const,
  };
}

/** `capacity` returns the current limits. */
export function queueAt(url: string, capacity: () => Promise<Capacity>): Queue {
  let client: Promise<DBOSClient> | undefined;
  const registered = new Set<string>();
  const open = () => {
    client ??= openClient(url);
    return client;
  };
  return {
    put: async (run, submission, { startAt, reopen = 0 } = {}) => {
      const dbosClient = await open();
      const name = queueFor(submission.labels);
      if (!registered.has(name))
        await dbosClient.registerQueue(name, {
          ...queueSettings(await capacity()),
          onConflict: "always_update",
        });
      registered.add(name);
      const workflowID = `${run}:${crypto.randomUUID()}`;
      const entry = { run, failures: 0, waits: 0, reopen };
      const { options, args } = entryFor(submission, entry, { workflowID, ...(startAt && { startAt }) });
      await dbosClient.enqueue(options, ...args);
    },
    close: async () => (await client)?.destroy(),
  };
}

/** Applies the limits to all queues. Without limits it only creates the tables, for roles that may not. */
export async function limitQueues(url: string, capacity?: Capacity): Promise<void> {
  if (!capacity) return makeTables(url);
  const dbosClient = await openClient(url);
  try {
    for (const { name } of await dbosClient.listQueues())
      await dbosClient.registerQueue(name, { ...queueSettings(capacity), onConflict: "always_update" });
  } finally {
    await dbosClient.destroy();
  }
}
