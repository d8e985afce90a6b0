// Tables for worker liveness. Each member holds an advisory lock while its session lives, so there is no lease to renew.

/** First key of the advisory locks; the second is the member's number, or 0 while a claim with limits is taken. */
export const LOCK_CLASS = 722_601;

export const PRESENCE = `
  CREATE TABLE converge.members (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, host text NOT NULL, pid integer NOT NULL, home text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(), worker text
  );
  CREATE TABLE converge.claims (
    run text COLLATE "C" PRIMARY KEY, member integer NOT NULL, since timestamptz NOT NULL DEFAULT now(),
    repository text, agent text
  );
  CREATE TABLE converge.capacity (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), total integer, per_repository integer, per_agent integer
  );
  INSERT INTO converge.capacity DEFAULT VALUES;
  CREATE VIEW converge.here AS
    SELECT DISTINCT objid::bigint::integer AS member FROM pg_locks
    WHERE locktype = 'advisory' AND classid = ${LOCK_CLASS} AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    -- A server that has just started has lost all locks, and everybody has to come back first.
    UNION SELECT number FROM converge.members WHERE pg_postmaster_start_time() > now() - interval '3 seconds';
  CREATE FUNCTION converge.claim(its_run text, by_member integer, its_repository text, its_agent text)
  RETURNS TABLE (refusal text, most integer) LANGUAGE plpgsql AS $$
  DECLARE
    bounds converge.capacity%ROWTYPE;
    limited boolean;
    total integer; in_repository integer; by_agent integer;
  BEGIN
    IF its_repository IS NOT NULL THEN
      SELECT * INTO bounds FROM converge.capacity;
    END IF;
    limited := coalesce(bounds.total, bounds.per_repository, bounds.per_agent) IS NOT NULL;
    -- One at a time, where a limit is counted, and for one run always: each statement below sees what the one before us did.
    IF limited THEN
      PERFORM pg_advisory_xact_lock(${LOCK_CLASS}, 0);
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(its_run, ${LOCK_CLASS}));
    IF EXISTS (SELECT FROM converge.claims c JOIN converge.here h ON h.member = c.member
               WHERE c.run = its_run AND c.member <> by_member) THEN
      RETURN QUERY SELECT 'driven', 0;
      RETURN;
    END IF;
    IF limited THEN
      SELECT count(*), count(*) FILTER (WHERE c.repository = its_repository), count(*) FILTER (WHERE c.agent = its_agent)
        INTO total, in_repository, by_agent
        FROM converge.claims c JOIN converge.here h ON h.member = c.member
        WHERE c.repository IS NOT NULL AND c.run <> its_run;
      RETURN QUERY SELECT full_one.name, full_one.bound FROM (VALUES
          ('total', bounds.total, total),
          ('perRepository', bounds.per_repository, in_repository),
          ('perAgent', bounds.per_agent, by_agent)
        ) AS full_one (name, bound, used) WHERE full_one.used >= full_one.bound LIMIT 1;
      IF FOUND THEN RETURN; END IF;
    END IF;
    INSERT INTO converge.claims (run, member, repository, agent) VALUES (its_run, by_member, its_repository, its_agent)
      ON CONFLICT (run) DO UPDATE SET member = excluded.member, since = now(),
        repository = excluded.repository, agent = excluded.agent;
  END $$`;
