// All routes there are. What is not in this table is not served, described or reachable.
import type { Route } from "../http/route.ts";
import { about } from "./about.ts";
import { commands } from "./commands.ts";
import { runs } from "./runs.ts";
import { session } from "./session.ts";
import { streams } from "./streams.ts";
import { tasks } from "./tasks.ts";

export const ROOT = "/api/v1";

export const ROUTES: readonly Route[] = [...session, ...runs, ...streams, ...tasks, ...commands, ...about];
