// Timeout for synchronous code: a user's pattern or schema can run for ever on the main thread, where no awaited timer
// can interrupt it.
import vm from "node:vm";

export class OutOfTimeError extends Error {
  override readonly name = "OutOfTimeError";
}

const context = vm.createContext({ work: undefined as unknown });
const script = new vm.Script("work()");

/** Returns the result of `work`, or throws OutOfTimeError. `work` must be pure: it may be interrupted anywhere. */
export function runWithTimeout<T>(ms: number, work: () => T): T {
  context.work = work;
  try {
    return script.runInContext(context, { timeout: ms }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new OutOfTimeError(`took longer than ${ms / 1000} s`);
  } finally {
    context.work = undefined;
  }
}
