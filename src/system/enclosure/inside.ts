// Who is inside an enclosure: the first process there, which signals are for and whose end is the end of all.
import type { Readable } from "node:stream";
import { statOf } from "../sweep.ts";

export interface Inside {
  /** To everyone in there who has not left the group; the enclosing program itself hears nothing. */
  signal(name: NodeJS.Signals): void;
  /** When none of them runs any more. */
  gone(): Promise<void>;
}

const LOOK_MS = 5;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, LOOK_MS));

/** What bwrap tells; undefined when it ended before there was anybody. */
async function firstProcess(told: Readable): Promise<number | undefined> {
  let text = "";
  try {
    for await (const piece of told) text += piece;
    const pid = JSON.parse(text)["child-pid"];
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Already gone.
  }
}

/** The kernel lets the first process of a namespace end only when all the others have ended. */
function runs(pid: number): boolean {
  const stat = statOf(pid);
  return stat?.name === "bwrap" && stat.state !== "Z" && stat.state !== "X";
}

export function inside(told: Readable): Inside {
  const first = firstProcess(told);
  return {
    signal: (name) => void first.then((pid) => pid !== undefined && send(-pid, name)),
    gone: async () => {
      const pid = await first;
      while (pid !== undefined && runs(pid)) {
        send(pid, "SIGKILL");
        await pause();
      }
    },
  };
}
