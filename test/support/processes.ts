// Inspects processes from outside the programs under test.
import fs from "node:fs";

/** True while the process runs. A zombie does not count as alive. */
export function isAlive(pid: number): boolean {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
