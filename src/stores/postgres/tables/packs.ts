// Tables for snapshot packs. A piece is invisible until the row of its pack is inserted, which happens last.

/** Storage EXTERNAL: packs are compressed already. */
export const PACKS = `
  CREATE TABLE converge.packs (
    run text COLLATE "C" NOT NULL, number integer NOT NULL, key uuid NOT NULL UNIQUE, trees text[] NOT NULL,
    bytes bigint NOT NULL, PRIMARY KEY (run, number)
  );
  CREATE TABLE converge.pack_pieces (
    key uuid NOT NULL, at integer NOT NULL, run text COLLATE "C" NOT NULL, since timestamptz NOT NULL DEFAULT now(),
    bytes bytea NOT NULL, PRIMARY KEY (key, at)
  );
  CREATE INDEX pack_pieces_of_run ON converge.pack_pieces (run, since);
  ALTER TABLE converge.pack_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;`;
