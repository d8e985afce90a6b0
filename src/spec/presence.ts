// The port for who is at work, where several machines share a store.

/** A process that drives a run. */
export interface Driver {
  readonly run: string;
  readonly host: string;
  readonly pid: number;
  /** The state folder it works with: two of them on one machine do not share locks, logs or snapshots. */
  readonly home: string;
  readonly since: string;
}

/** What the limits on how much is driven at once are counted by. */
export interface Kinds {
  readonly repository: string;
  readonly agent: string;
}

/** How many runs may be driven at once, by all machines together; absent: any number. */
export interface Capacity {
  readonly total?: number;
  readonly perRepository?: number;
  readonly perAgent?: number;
}

export interface Claim {
  readonly held: true;
  /** Aborted when others may have taken the run over: whatever works for it has to end at once. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export type Claimed =
  | Claim
  | { readonly held: false; readonly driver: Driver }
  /** Nobody has it, but a limit is reached. */
  | { readonly held: false; readonly full: keyof Capacity; readonly limit: number };

/** What a process says of itself that waits for work. */
export interface WorkerFacts {
  readonly labels: readonly string[];
  readonly concurrency: number;
  readonly version: string;
}

/** Who waits for work, or did and is gone. */
export interface Worker extends WorkerFacts {
  readonly member: number;
  readonly host: string;
  readonly pid: number;
  readonly since: string;
  readonly isHere: boolean;
}

export interface Membership {
  /** Never the same for two, not even after one was lost. */
  readonly member: number;
  /** Aborted when others may take it for dead: it has to end what it does, and may join again. */
  readonly lost: AbortSignal;
  leave(): Promise<void>;
}

export interface Presence {
  /** This process is there, for as long as it is connected. Claims do this by themselves. */
  join(by: { readonly home: string; readonly worker?: WorkerFacts }): Promise<Membership>;
  workers(): Promise<readonly Worker[]>;
  /** Forgets a worker that is gone. */
  bury(member: number): Promise<void>;
  /**
   * Takes the run for this process, for as long as it is connected. Who is dead, cut off or stopped does not keep its runs.
   * Without `kinds` no limit holds: somebody asked for this very run here and now.
   */
  claim(run: string, by: { readonly home: string; readonly kinds?: Kinds }): Promise<Claimed>;
  /** Who drives this run, or all that are driven, by run. */
  drivers(run?: string): Promise<ReadonlyMap<string, Driver>>;
  capacity(): Promise<Capacity>;
  limit(capacity: Capacity): Promise<void>;
}
