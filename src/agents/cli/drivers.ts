// Every CLI that Converge knows, in the order it looks for them.
import type { Driver } from "./driver.ts";
import { TABLE } from "./table.ts";

export const DRIVERS: readonly Driver[] = [...TABLE];
