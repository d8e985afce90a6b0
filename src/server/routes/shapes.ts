// Parts of requests that several routes have.
import * as z from "zod";

/** As ids are made; whether there is such a run is asked later. */
const runId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/);

export const ofRun = z.strictObject({ id: runId });

/** A whole number in a URL. */
export const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, "expected a whole number")
    .transform(Number)
    .pipe(z.int().min(least).max(most));

export const ofIteration = z.strictObject({ id: runId, n: whole(0, 1e9) });
