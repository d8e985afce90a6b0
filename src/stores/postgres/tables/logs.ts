// Tables for logs shared between machines.

// A piece names its origin: when two origins write at the same time, only the pieces of one are read.
export const LOGS = `
  CREATE TABLE converge.logs (
    run text COLLATE "C" NOT NULL, file text COLLATE "C" NOT NULL, origin text NOT NULL, since integer NOT NULL,
    bytes bigint NOT NULL, number bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (run, file)
  );
  CREATE TABLE converge.log_pieces (
    run text COLLATE "C" NOT NULL, file text COLLATE "C" NOT NULL, at bigint NOT NULL, origin text NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (run, file, at),
    FOREIGN KEY (run, file) REFERENCES converge.logs ON DELETE CASCADE
  );`;
