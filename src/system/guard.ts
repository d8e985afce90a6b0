// Outlives us by a moment: a small shell that reads what we tell it until we are gone, however we went, and then ends
// every process group that was still open and everything that carries the mark of one of our runs.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { openPipe, pipeFolder } from "./pipe.ts";

/** Every process that works for a run carries this variable; so do its children, unless they shed their environment. */
export const MARK = "CONVERGE_RUN";

// "run ID", "+GROUP" and "-GROUP" are all that is ever said. What forks while it is being ended is found by looking twice.
const GUARD = `trap '' INT TERM HUP
groups=' ' marks=
while read -r word rest; do
  case $word in
    run) marks="$marks -e ${MARK}=$rest" ;;
    +*) groups="$groups\${word#+} " ;;
    -*) groups=\${groups%%" \${word#-} "*}" "\${groups#*" \${word#-} "} ;;
  esac
done
for group in $groups; do kill -KILL -"$group"; done
for look in 1 2 3; do
  for file in $(grep -lzxF $marks /proc/[0-9]*/environ); do
    process=\${file#/proc/}
    kill -KILL "\${process%/environ}"
  done
done
rm -rf "$1"`;

/** Returns what tells the guard something; false when it is no longer there. */
function start(): (text: string) => boolean {
  // Its only writer is this process: Node never passes that end on, and the kernel closes it when we die.
  const { reader, writer } = openPipe();
  // A session of its own: what ends our group must not end the guard.
  const child = spawn("/bin/sh", ["-c", GUARD, "converge", pipeFolder()], {
    cwd: "/",
    detached: true,
    stdio: [reader, "ignore", "ignore"],
  });
  child.unref();
  fs.closeSync(reader);
  return (text) => {
    try {
      fs.writeSync(writer, `${text}\n`);
      return true;
    } catch {
      fs.closeSync(writer);
      return false;
    }
  };
}

const runs = new Set<string>();
const groups = new Set<number>();
let tell: ((text: string) => boolean) | undefined;

/** One guard for all processes that this process starts; a new one, told everything, should the old one be killed. */
function say(text: string): void {
  if (tell?.(text)) return;
  tell = start();
  for (const id of runs) tell(`run ${id}`);
  for (const group of groups) tell(`+${group}`);
}

export const guard = {
  /** Before a process of the run is started: from then on it cannot be missed. */
  expect(run: string): void {
    if (runs.has(run)) return;
    runs.add(run);
    say(`run ${run}`);
  },
  opened(group: number): void {
    groups.add(group);
    say(`+${group}`);
  },
  closed(group: number): void {
    groups.delete(group);
    say(`-${group}`);
  },
};
