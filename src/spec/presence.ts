// Port of presence: which processes are alive and which runs they drive, for a store shared by several machines.

/** A process that drives a run. */
export interface Driver {
  readonly run: string;
  readonly host: string;
  readonly pid: number;
  /** Its state folder: two state folders on one machine share no locks, logs or snapshots. */
  readonly home: string;
  readonly since: string;
}

/** Keys by which concurrency limits count a run. */
export interface Kinds {
  readonly repository: string;
  readonly agent: string;
}

/** Concurrency limits over all machines; absent: no limit. */
export interface Capacity {
  readonly total?: number;
  readonly perRepository?: number;
  readonly perAgent?: number;
}

export interface Claim {
  readonly held: true;
  /** Aborted when another process may have taken the run: everything that works for it must end at once. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export type Claimed =
  | Claim
  | { readonly held: false; readonly driver: Driver }
  /** Nobody drives the run, but a limit is reached. */
  | { readonly held: false; readonly full: keyof Capacity; readonly limit: number };

/** Facts that a worker publishes about itself. */
export interface WorkerFacts {
  readonly labels: readonly string[];
  readonly concurrency: number;
  readonly version: string;
}

/** A worker, alive or gone. */
export interface Worker extends WorkerFacts {
  readonly member: number;
  readonly host: string;
  readonly pid: number;
  readonly since: string;
  readonly isHere: boolean;
}

export interface Membership {
  /** Unique, and never reused. */
  readonly member: number;
  /** Aborted when others may have declared this member dead: it must end its work, and may join again. */
  readonly lost: AbortSignal;
  leave(): Promise<void>;
}

export interface Presence {
  /** Registers this process while it is connected. Claims do so themselves. */
  join(by: { readonly home: string; readonly worker?: WorkerFacts }): Promise<Membership>;
  workers(): Promise<readonly Worker[]>;
  /** Deletes a dead worker and its claims. */
  bury(member: number): Promise<void>;
  /**
   * Claims the run for this process while it is connected. A process that is dead, hung or cut off loses its claims.
   * Without `kinds` no limit applies: somebody asked for this very run here and now.
   */
  claim(run: string, by: { readonly home: string; readonly kinds?: Kinds }): Promise<Claimed>;
  /** The driver of this run, or all drivers, by run. */
  drivers(run?: string): Promise<ReadonlyMap<string, Driver>>;
  capacity(): Promise<Capacity>;
  limit(capacity: Capacity): Promise<void>;
}
