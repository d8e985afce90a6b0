// Request schemas that several routes share.
import * as z from "zod";

/** Checks the format only; handlers look the run up. */
const runId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/);

export const runParams = z.strictObject({ id: runId });

/** A whole number in a URL. */
export const intParam = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, "expected a whole number")
    .transform(Number)
    .pipe(z.int().min(min).max(max));

export const iterationParams = z.strictObject({ id: runId, n: intParam(0, 1e9) });
