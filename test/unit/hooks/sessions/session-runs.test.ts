import { describe, expect, it } from "vitest";
import { sessions } from "#hooks/sessions/session-runs";
import { openApp } from "#state/context";
import { sessionsConformance } from "#testing/sessions";
import { folders } from "../../../support/folders.ts";

sessionsConformance(
  "the store",
  () => {
    const { dir, files } = folders();
    const open = () => sessions(openApp({ CONVERGE_HOME: files, XDG_CONFIG_HOME: files }));
    return { dir, sessions: open(), again: open };
  },
  { describe, it, expect },
);
