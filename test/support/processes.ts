// Looks at processes from outside of the programs under test.
import fs from "node:fs";

/** True while the process runs. A zombie, which only waits to be collected, does not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
