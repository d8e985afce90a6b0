// Claims and workers: which member drives which run, as all machines see it.
import type { Capacity, Claimed, Driver, Membership, Presence, Worker, WorkerFacts } from "#spec/presence";
import { plain } from "#text/plain-text";
import type { Connection } from "./connection.ts";
import { joinAs } from "./membership.ts";

const CLAIM = "SELECT refusal, most FROM converge.claim($1, $2, $3, $4)";
const RELEASE = "DELETE FROM converge.claims WHERE run = $1 AND member = $2";
const MINE = "SELECT run FROM converge.claims WHERE member = $1";
const DRIVERS = `
  SELECT c.run, m.host, m.pid, m.home, c.since FROM converge.claims c
  JOIN converge.here h ON h.member = c.member JOIN converge.members m ON m.number = c.member
  WHERE $1::text IS NULL OR c.run = $1`;
const WORKERS = `
  SELECT m.number, m.host, m.pid, m.since, m.worker, h.member IS NOT NULL AS here
  FROM converge.members m LEFT JOIN converge.here h ON h.member = m.number WHERE m.worker IS NOT NULL ORDER BY m.number`;
const BURY = `
  WITH dead AS (
    DELETE FROM converge.members WHERE number = $1 AND number NOT IN (SELECT member FROM converge.here) RETURNING number
  ) DELETE FROM converge.claims WHERE member IN (SELECT number FROM dead)`;
const CAPACITY = `
  SELECT total, per_repository AS "perRepository", per_agent AS "perAgent" FROM converge.capacity`;
const LIMIT = "UPDATE converge.capacity SET total = $1, per_repository = $2, per_agent = $3";

interface DriverRow extends Omit<Driver, "since"> {
  readonly since: Date;
}

interface WorkerRow {
  readonly number: number;
  readonly host: string;
  readonly pid: number;
  readonly since: Date;
  readonly worker: string;
  readonly here: boolean;
}

const driverIn = ({ host, home, since, ...row }: DriverRow): Driver => ({
  ...row,
  host: plain(host),
  home: plain(home),
  since: since.toISOString(),
});

const workerIn = ({ number, host, pid, since, worker, here }: WorkerRow): Worker => ({
  ...(JSON.parse(worker) as WorkerFacts),
  member: number,
  host: plain(host),
  pid,
  since: since.toISOString(),
  isHere: here,
});

function withoutNulls(row: Readonly<Record<keyof Capacity, number | null>>): Capacity {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

export interface OpenPresence extends Presence {
  close(): Promise<void>;
}

export function presenceIn(url: string, { use, place }: Connection): OpenPresence {
  const runQuery = <Row extends object>(text: string, values: readonly unknown[] = []) =>
    use((query) => query<Row>(text, values));
  /** Claims of this process, by run. */
  const claims = new Map<string, AbortController>();
  let membership: Promise<Membership> | undefined;
  /** Pending claim calls, which need the membership. */
  let pendingClaims = 0;
  /** Whether a claim created the membership, so that it ends with the last claim. */
  let isTemporary = true;

  const dropAllClaims = () => {
    membership = undefined;
    for (const controller of claims.values()) controller.abort();
    claims.clear();
  };

  const dropLostClaims = async (member: number) => {
    const mine = new Set((await runQuery<{ run: string }>(MINE, [member])).map(({ run }) => run));
    for (const [run, controller] of claims)
      if (!mine.has(run)) {
        claims.delete(run);
        controller.abort();
      }
  };

  const join = (by: { readonly home: string; readonly worker?: WorkerFacts }): Promise<Membership> => {
    const ready = () => runQuery("SELECT FROM converge.capacity");
    const joining = joinAs({ url, place, ready }, { ...by, onReconnect: dropLostClaims });
    membership = joining;
    joining.then(
      ({ lost }) => lost.addEventListener("abort", () => membership === joining && dropAllClaims()),
      () => membership === joining && dropAllClaims(),
    );
    return joining;
  };

  const leaveWhenIdle = async () => {
    if (!isTemporary || pendingClaims > 0 || claims.size > 0 || !membership) return;
    const leaving = membership;
    membership = undefined;
    await (await leaving).leave();
  };

  const drivers = async (run?: string) =>
    new Map((await runQuery<DriverRow>(DRIVERS, [run])).map((row) => [row.run, driverIn(row)] as const));

  const claimOnce: Presence["claim"] = async (run, { home, kinds }): Promise<Claimed> => {
    const { member } = await (membership ?? join({ home }));
    const [refused] = await runQuery<{ refusal: "driven" | keyof Capacity; most: number }>(CLAIM, [
      run,
      member,
      kinds?.repository,
      kinds?.agent,
    ]);
    if (refused && refused.refusal !== "driven")
      return { held: false, full: refused.refusal, limit: refused.most };
    if (refused) {
      const driver = (await drivers(run)).get(run);
      return driver ? { held: false, driver } : claimOnce(run, { home, ...(kinds && { kinds }) });
    }
    const controller = new AbortController();
    claims.set(run, controller);
    const release = async () => {
      if (claims.get(run) !== controller) return;
      claims.delete(run);
      await runQuery(RELEASE, [run, member]);
      await leaveWhenIdle();
    };
    return { held: true, lost: controller.signal, release };
  };

  const claim: Presence["claim"] = async (run, by) => {
    pendingClaims++;
    try {
      return await claimOnce(run, by);
    } finally {
      pendingClaims--;
      await leaveWhenIdle();
    }
  };

  return {
    join: (by) => {
      isTemporary = false;
      return join(by);
    },
    workers: async () => (await runQuery<WorkerRow>(WORKERS)).map(workerIn),
    bury: async (member) => {
      await runQuery(BURY, [member]);
    },
    claim,
    drivers,
    capacity: async () => {
      const [row] = await runQuery<Record<keyof Capacity, number | null>>(CAPACITY);
      return row ? withoutNulls(row) : {};
    },
    limit: async ({ total, perRepository, perAgent }) => {
      await runQuery(LIMIT, [total, perRepository, perAgent]);
    },
    close: async () => {
      await (await membership?.catch(() => undefined))?.leave();
    },
  };
}
