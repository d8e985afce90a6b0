// What is said to people beside the run goes through here: an error may quote a secret.
import { secrets } from "./secrets/secrets.ts";

export const mask = secrets.mask;
