// What every agent and gate starts from. A watcher reads our lifeline: when we die, even by KILL, it ends and the
// watcher takes the whole group down. The shell that started the watcher then becomes the program and leads the group.
export const LEADER = `{ trap '' INT TERM HUP; read _ <&3; kill -KILL 0; } </dev/null >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;
