// What went wrong with a database: whether it passes when one waits, and what people are told.
import { ConflictError, TamperedError, UnreachableError, UsageError } from "#spec/errors";
import { oneLine } from "#text/plain-text";

/** As `pg` throws them: the server's have a severity and a code of five characters, the system's a code like ECONNRESET. */
interface Fault extends Error {
  readonly code?: string;
  readonly severity?: string;
  readonly errors?: readonly Error[];
}

/** The connection broke, the server goes down or comes up, it has too many connections, was too slow, or two writers met half-way. */
const PASSING = /^(08...|57P0[123]|53300|57014|40001|40P01)$/;
const BROKEN = /^Connection terminated|^timeout (exceeded|expired)|^Query read timeout|is not queryable$/;

const DENIED = "42501";
const UNIQUE = "23505";

/** Nothing or all of it was done, and trying again may go well. */
export function passes(error: unknown): boolean {
  const { code = "", severity, message } = error as Fault;
  if (severity !== undefined) return PASSING.test(code);
  return /^(E[A-Z0-9]+|EAI_AGAIN)$/.test(code) || BROKEN.test(message);
}

export const isTaken = (error: unknown): boolean => (error as Fault).code === UNIQUE;

/** The table or its schema is not there. */
export const isMissing = (error: unknown): boolean => /^(42P01|3F000)$/.test((error as Fault).code ?? "");

function words({ message, errors }: Fault): string {
  // With two addresses for one name each has its own error.
  return oneLine(message || (errors ?? []).map((one) => one.message).join("; "), 500);
}

export function explained(place: string, error: unknown): Error {
  if (error instanceof UsageError || error instanceof ConflictError || error instanceof TamperedError)
    return error;
  const fault = error as Fault;
  if (passes(error))
    return new UnreachableError(
      `cannot reach ${place}: ${words(fault)}; what is recorded is safe. See that it runs and that the address is right, and try again`,
    );
  const hint =
    fault.code === DENIED
      ? ". The role needs USAGE on the schema converge and SELECT, INSERT, UPDATE and DELETE on its tables; to make them or bring them up to date it must own them"
      : "";
  return new UsageError(`cannot use ${place}: ${words(fault)}${hint}`);
}
