// All drivers, in order of detection.

import type { Driver } from "../shared/driver.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { qwen } from "./qwen.ts";
import { TABLE } from "./table.ts";

export const DRIVERS: readonly Driver[] = [claude, codex, opencode, gemini, qwen, ...TABLE];
