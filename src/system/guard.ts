// Outlives us by a moment: a small shell that reads what we tell it until we are gone, however we went, and then ends
// every process group that was still open and everything that carries our mark.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { openPipe, pipeFolder } from "./pipe.ts";

/** Every process that works for a run carries these variables; so do its children, unless they shed their environment. */
export const MARK = "CONVERGE_RUN";
/** Whom it works for: a run that has moved to another process on this machine is not ours to end. */
export const BY = "CONVERGE_BY";

/** The process by number and start: numbers come again. */
export function processMark(pid: number | "self"): string | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "", ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return /[ZX]/.test(state) ? undefined : `${text.split(" ")[0]}.${fields[18]}`;
  } catch {
    return undefined;
  }
}

export const ownMark = processMark("self") ?? String(process.pid);

// "+GROUP" and "-GROUP" are all that is ever said. What forks while it is being ended is found by looking twice.
const GUARD = `trap '' INT TERM HUP
groups=' '
while read -r word; do
  case $word in
    +*) groups="$groups\${word#+} " ;;
    -*) groups=\${groups%%" \${word#-} "*}" "\${groups#*" \${word#-} "} ;;
  esac
done
for group in $groups; do kill -KILL -"$group"; done
for look in 1 2 3; do
  for file in $(grep -lzxF -e "$2" /proc/[0-9]*/environ); do
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
  const child = spawn("/bin/sh", ["-c", GUARD, "converge", pipeFolder(), `${BY}=${ownMark}`], {
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

const groups = new Set<number>();
let tell: ((text: string) => boolean) | undefined;

/** One guard for all processes that this process starts; a new one, told everything, should the old one be killed. */
function say(text: string): void {
  if (tell?.(text)) return;
  tell = start();
  for (const group of groups) tell(`+${group}`);
}

export const guard = {
  /** Before a process is started: from then on it cannot be missed. */
  expect(): void {
    say("");
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
