// The port for snapshots that any machine can fetch, where several share a store: packs of git objects.

export interface KeptPack {
  /** From 1, in the order they came. A pack may rest on those before it. */
  readonly number: number;
  /** Trees that are whole with this pack and those before it. */
  readonly trees: readonly string[];
  readonly bytes: number;
}

export interface SharedPacks {
  /** Durable when it returns, all of it or nothing. */
  keep(run: string, trees: readonly string[], pack: AsyncIterable<Uint8Array>): Promise<void>;
  list(run: string): Promise<readonly KeptPack[]>;
  read(run: string, number: number): AsyncIterable<Uint8Array>;
}
