// Every CLI that Converge knows, in the order it looks for them.
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import type { Driver } from "./driver.ts";

export const DRIVERS: readonly Driver[] = [claude, codex];
