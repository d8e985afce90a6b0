// All tricks there are: with what is judged, which the task's settings guard, and with the record, which is always guarded.
import type { Cheat } from "./cheat.ts";
import { withGit } from "./git.ts";
import { onRunner } from "./runner.ts";
import { inSource } from "./source.ts";
import { onState } from "./state.ts";
import { onTests } from "./tests.ts";

export const GUARDED_BY_SETTINGS: readonly Cheat[] = [...onTests, ...onRunner, ...inSource, ...withGit];

export const CHEATS: readonly Cheat[] = [...GUARDED_BY_SETTINGS, ...onState];
