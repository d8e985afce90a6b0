// Every CLI that Converge knows, in the order it looks for them.
import type { Driver } from "./driver.ts";

export const DRIVERS: readonly Driver[] = [];
