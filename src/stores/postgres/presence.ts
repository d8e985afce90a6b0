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

const toDriver = ({ host, home, since, ...row }: DriverRow): Driver => ({
  ...row,
  host: plain(host),
  home: plain(home),
  since: since.toISOString(),
});

const toWorker = ({ number, host, pid, since, worker, here }: WorkerRow): Worker => ({
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

/** The presence of this process. */
interface OwnPresence {
  readonly url: string;
  /** Address of the server, for messages. */
  readonly place: string;
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Claims of this process, by run. */
  readonly claims: Map<string, AbortController>;
  membership: Promise<Membership> | undefined;
  /** Pending claim calls, which need the membership. */
  pendingClaims: number;
  /** Whether a claim created the membership, so that it ends with the last claim. */
  isTemporary: boolean;
}

function dropAllClaims(own: OwnPresence): void {
  own.membership = undefined;
  for (const controller of own.claims.values()) controller.abort();
  own.claims.clear();
}

async function dropLostClaims({ query, claims }: OwnPresence, member: number): Promise<void> {
  const mine = new Set((await query<{ run: string }>(MINE, [member])).map(({ run }) => run));
  for (const [run, controller] of claims)
    if (!mine.has(run)) {
      claims.delete(run);
      controller.abort();
    }
}

function join(own: OwnPresence, by: Parameters<Presence["join"]>[0]): Promise<Membership> {
  const ready = () => own.query("SELECT FROM converge.capacity");
  const onReconnect = (member: number) => dropLostClaims(own, member);
  const joining = joinAs({ url: own.url, place: own.place, ready }, { ...by, onReconnect });
  own.membership = joining;
  joining.then(
    ({ lost }) => lost.addEventListener("abort", () => own.membership === joining && dropAllClaims(own)),
    () => own.membership === joining && dropAllClaims(own),
  );
  return joining;
}

async function leaveWhenIdle(own: OwnPresence): Promise<void> {
  const { isTemporary, pendingClaims, claims, membership } = own;
  if (!isTemporary || pendingClaims > 0 || claims.size > 0 || !membership) return;
  own.membership = undefined;
  await (await membership).leave();
}

async function readDrivers({ query }: OwnPresence, run?: string): Promise<Map<string, Driver>> {
  const rows = await query<DriverRow>(DRIVERS, [run]);
  return new Map(rows.map((row) => [row.run, toDriver(row)] as const));
}

type ClaimRequest = Parameters<Presence["claim"]>[1];

async function claimOnce(own: OwnPresence, run: string, by: ClaimRequest): Promise<Claimed> {
  const { home, kinds } = by;
  const { member } = await (own.membership ?? join(own, { home }));
  const [refused] = await own.query<{ refusal: "driven" | keyof Capacity; most: number }>(CLAIM, [
    run,
    member,
    kinds?.repository,
    kinds?.agent,
  ]);
  if (refused && refused.refusal !== "driven")
    return { held: false, full: refused.refusal, limit: refused.most };
  if (refused) {
    const driver = (await readDrivers(own, run)).get(run);
    return driver ? { held: false, driver } : claimOnce(own, run, by);
  }
  const controller = new AbortController();
  own.claims.set(run, controller);
  const release = async () => {
    if (own.claims.get(run) !== controller) return;
    own.claims.delete(run);
    await own.query(RELEASE, [run, member]);
    await leaveWhenIdle(own);
  };
  return { held: true, lost: controller.signal, release };
}

async function claim(own: OwnPresence, run: string, by: ClaimRequest): Promise<Claimed> {
  own.pendingClaims++;
  try {
    return await claimOnce(own, run, by);
  } finally {
    own.pendingClaims--;
    await leaveWhenIdle(own);
  }
}

export function presenceIn(url: string, { use, place }: Connection): OpenPresence {
  const own: OwnPresence = {
    url,
    place,
    query: (text, values = []) => use((query) => query(text, values)),
    claims: new Map(),
    membership: undefined,
    pendingClaims: 0,
    isTemporary: true,
  };
  return {
    join: (by) => {
      own.isTemporary = false;
      return join(own, by);
    },
    workers: async () => (await own.query<WorkerRow>(WORKERS)).map(toWorker),
    bury: async (member) => {
      await own.query(BURY, [member]);
    },
    claim: (run, by) => claim(own, run, by),
    drivers: (run) => readDrivers(own, run),
    capacity: async () => {
      const [row] = await own.query<Record<keyof Capacity, number | null>>(CAPACITY);
      return row ? withoutNulls(row) : {};
    },
    limit: async ({ total, perRepository, perAgent }) => {
      await own.query(LIMIT, [total, perRepository, perAgent]);
    },
    close: async () => {
      await (await own.membership?.catch(() => undefined))?.leave();
    },
  };
}
