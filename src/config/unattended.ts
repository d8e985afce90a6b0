// Default limits of an unattended run.
import type { TaskInput } from "./schema.ts";

/** A time limit in any layer replaces it. */
export const UNATTENDED: TaskInput = { limits: { time: "8h" } };
