// Classifies database errors as transient or permanent and gives each a message.
import { ConflictError, TamperedError, UnreachableError, UsageError } from "#spec/errors";
import { oneLine } from "#text/plain-text";

/** An error of `pg`: the server's have a severity and an SQLSTATE, the system's a code like ECONNRESET. */
interface DatabaseError extends Error {
  readonly code?: string;
  readonly severity?: string;
  readonly errors?: readonly Error[];
}

/** SQLSTATEs of a broken connection, a server shutting down or starting, too many connections, a timeout, or a serialization failure. */
const TRANSIENT = /^(08...|57P0[123]|53300|57014|40001|40P01)$/;
const CONNECTION_LOST =
  /^Connection terminated|^timeout (exceeded|expired)|^Query read timeout|is not queryable$/;

const INSUFFICIENT_PRIVILEGE = "42501";
const UNIQUE_VIOLATION = "23505";

/** Whether a retry may succeed: the statement was done entirely or not at all. */
export function isTransient(error: unknown): boolean {
  const { code = "", severity, message } = error as DatabaseError;
  if (severity !== undefined) return TRANSIENT.test(code);
  return /^(E[A-Z0-9]+|EAI_AGAIN)$/.test(code) || CONNECTION_LOST.test(message);
}

export const isUniqueViolation = (error: unknown): boolean =>
  (error as DatabaseError).code === UNIQUE_VIOLATION;

/** Whether the table or its schema does not exist. */
export const isMissing = (error: unknown): boolean =>
  /^(42P01|3F000)$/.test((error as DatabaseError).code ?? "");

function describe({ message, errors }: DatabaseError): string {
  // A host name with two addresses gives one error for each.
  return oneLine(message || (errors ?? []).map((one) => one.message).join("; "), 500);
}

export function explainError(place: string, error: unknown): Error {
  if (error instanceof UsageError || error instanceof ConflictError || error instanceof TamperedError)
    return error;
  const databaseError = error as DatabaseError;
  if (isTransient(error))
    return new UnreachableError(
      `cannot reach ${place}: ${describe(databaseError)}; recorded events are safe. Check that the server runs and that the address is right, then try again`,
    );
  const hint =
    databaseError.code === INSUFFICIENT_PRIVILEGE
      ? ". The role needs USAGE on the schema converge and SELECT, INSERT, UPDATE and DELETE on its tables; to create or migrate the tables it must own them"
      : "";
  return new UsageError(`cannot use ${place}: ${describe(databaseError)}${hint}`);
}
