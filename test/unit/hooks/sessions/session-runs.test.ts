import { describe, expect, it } from "vitest";
import { sessions } from "#hooks/sessions/session-runs";
import { openContext } from "#state/context";
import { sessionsConformance } from "#testing/sessions";
import { folders } from "../../../support/folders.ts";

sessionsConformance(
  "the store",
  () => {
    const { dir, files } = folders();
    const open = () => sessions(openContext({ CONVERGE_HOME: files, XDG_CONFIG_HOME: files }));
    return { dir, sessions: open(), again: open };
  },
  { describe, it, expect },
);
