// Limits of a run that nobody watches.
import type { TaskInput } from "./schema.ts";

/** Any time that a layer gives replaces it. */
export const UNATTENDED: TaskInput = { limits: { time: "8h" } };
