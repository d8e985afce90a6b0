// Masks secrets in messages outside the run's events: an error may quote one.
import { secrets } from "./secrets/secrets.ts";

export const mask = secrets.mask;
