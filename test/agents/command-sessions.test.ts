// Session loops through the built command line, one process per call, as the opencode plugin makes them.
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { commandSessions } from "#hooks/command-sessions";
import { sessionsConformance } from "#testing/sessions";
import { folders } from "../support/folders.ts";

const CLI = [process.execPath, fileURLToPath(new URL("../../bin/converge.js", import.meta.url))];

sessionsConformance(
  "the command line",
  () => {
    const { dir, files } = folders();
    const env = { ...process.env, CONVERGE_HOME: files, XDG_CONFIG_HOME: files };
    const open = () => commandSessions({ command: CLI, env });
    return { dir, sessions: open(), again: open };
  },
  { describe, it, expect },
);
