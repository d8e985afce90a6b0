-- Who may do what in the shared database. Run it as the owner, once both schemas are there, and again after every update:
--   CONVERGE_DATABASE_URL=postgres://converge_owner:…@db.example/converge converge limits
--   psql postgres://converge_owner:…@db.example/converge -v ON_ERROR_STOP=1 -f roles.sql
-- The roles are made before, by somebody who may:
--   CREATE ROLE converge_worker LOGIN PASSWORD '…'; CREATE ROLE converge_submitter …; CREATE ROLE converge_reader …;

GRANT USAGE ON SCHEMA converge, converge_queue TO converge_worker, converge_submitter;
GRANT USAGE ON SCHEMA converge TO converge_reader;

-- Everybody reads the runs. Without more: ls, show, watch, logs, report, backtest, workers.
GRANT SELECT ON ALL TABLES IN SCHEMA converge TO converge_worker, converge_submitter, converge_reader;

-- Events and commands are written and never changed: nobody but the owner could.
GRANT INSERT ON converge.events, converge.commands TO converge_worker, converge_submitter;
GRANT INSERT, UPDATE ON converge.runs, converge.places TO converge_worker, converge_submitter;

-- Logs and snapshots, for whoever looks from another machine.
GRANT INSERT, UPDATE, DELETE ON converge.logs, converge.log_pieces TO converge_worker, converge_submitter;
GRANT INSERT, DELETE ON converge.packs, converge.pack_pieces TO converge_worker, converge_submitter;

-- Who is at work, and on what. A submitter ends runs that nobody drives, and may drive one by hand.
GRANT INSERT, DELETE ON converge.members TO converge_worker, converge_submitter;
GRANT INSERT, UPDATE, DELETE ON converge.claims TO converge_worker, converge_submitter;
GRANT INSERT, UPDATE, DELETE ON converge.lessons TO converge_worker, converge_submitter;

-- The queue. Workers take entries and put them back; submitters put them in.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA converge_queue TO converge_worker;
GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA converge_queue TO converge_submitter;
GRANT UPDATE ON converge_queue.queues, converge_queue.workflow_status TO converge_submitter;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA converge_queue TO converge_worker, converge_submitter;
