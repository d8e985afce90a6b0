// Port of snapshots shared between machines through the store, as git packs.

export interface KeptPack {
  /** Counts from 1 in order of arrival. A pack may depend on earlier ones. */
  readonly number: number;
  /** Trees that are complete with this pack and earlier ones. */
  readonly trees: readonly string[];
  readonly bytes: number;
}

export interface SharedPacks {
  /** Atomic, and durable when it returns. */
  keep(run: string, trees: readonly string[], pack: AsyncIterable<Uint8Array>): Promise<void>;
  list(run: string): Promise<readonly KeptPack[]>;
  read(run: string, number: number): AsyncIterable<Uint8Array>;
}
