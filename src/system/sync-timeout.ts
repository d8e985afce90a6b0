// Bounds what runs on our own thread: a pattern or a schema of somebody else's can take forever on a text of somebody
// else's, and nothing that is awaited can stop it then.
import vm from "node:vm";

export class OutOfTimeError extends Error {
  override readonly name = "OutOfTimeError";
}

const room = vm.createContext({ work: undefined as unknown });
const script = new vm.Script("work()");

/** What `work` returns; OutOfTimeError when it is not done in time. It must be pure: it may be cut off anywhere. */
export function inTime<T>(ms: number, work: () => T): T {
  room.work = work;
  try {
    return script.runInContext(room, { timeout: ms }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new OutOfTimeError(`took longer than ${ms / 1000} s`);
  } finally {
    room.work = undefined;
  }
}
