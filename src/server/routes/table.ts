// The table of all routes. A path that is not in it is neither served nor documented.
import type { Route } from "../http/route.ts";
import { about } from "./about.ts";
import { commands } from "./commands.ts";
import { runs } from "./runs.ts";
import { session } from "./session.ts";
import { streams } from "./streams.ts";
import { tasks } from "./tasks.ts";

export const ROOT = "/api/v1";

export const ROUTES: readonly Route[] = [...session, ...runs, ...streams, ...tasks, ...commands, ...about];
