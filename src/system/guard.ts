// Kills leftover processes when this process dies, even by SIGKILL: a small shell reads a pipe until it closes, then kills
// every open process group and every process that carries our mark.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { openPipe, pipeFolder } from "./pipe.ts";

/** Environment variable of every process that works for a run; children inherit it unless they clear their environment. */
export const MARK = "CONVERGE_RUN";
/** The driving process: a run that moved to another driver on this machine must not be killed by us. */
export const BY = "CONVERGE_BY";

/** Identifies a process by PID and start time, because PIDs are reused. Undefined when it is not running. */
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

// The protocol has two messages, "+GROUP" and "-GROUP". Several passes catch processes that fork while being killed.
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

/** Starts the guard. Returns a function that sends it a message, and returns false when the guard is gone. */
function start(): (text: string) => boolean {
  // This process is the only writer: Node does not pass that end on, and the kernel closes it when this process dies.
  const { reader, writer } = openPipe();
  // The guard has a session of its own, so that a signal to our process group does not kill it.
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
let sendToGuard: ((text: string) => boolean) | undefined;

/** Sends to the one guard of this process. A killed guard is replaced and gets the whole list of groups. */
function send(text: string): void {
  if (sendToGuard?.(text)) return;
  sendToGuard = start();
  for (const group of groups) sendToGuard(`+${group}`);
}

export const guard = {
  /** Makes sure that the guard runs before a process starts, so that none is missed. */
  expect(): void {
    send("");
  },
  opened(group: number): void {
    groups.add(group);
    send(`+${group}`);
  },
  closed(group: number): void {
    groups.delete(group);
    send(`-${group}`);
  },
};
