// Session loops in the real Gemini CLI.
import { describe } from "vitest";
import { installGemini, uninstallGemini } from "#hooks/install/gemini";
import type { SessionHost } from "../support/real-session.ts";
import { sessionLoops } from "./session-loops.ts";

const FLAGS = ["--yolo", "--output-format", "stream-json"];

const gemini: SessionHost = {
  name: "gemini",
  install: installGemini,
  uninstall: uninstallGemini,
  // It finds sessions by their number or as the latest; there is only one where one is resumed.
  args: (prompt, session) => ["-p", prompt, ...FLAGS, ...(session === undefined ? [] : ["-r", "latest"])],
  session: /"session_id":"([^"]+)"/,
  sign: "/",
  env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
};

describe("a session loop in Gemini CLI", () => {
  sessionLoops(gemini);
});
