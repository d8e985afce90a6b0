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
  // Gemini CLI finds sessions by number or as the latest; only one exists where one is resumed.
  args: (prompt, session) => ["-p", prompt, ...FLAGS, ...(session === undefined ? [] : ["-r", "latest"])],
  session: /"session_id":"([^"]+)"/,
  sign: "/",
  env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
};

describe("a session loop in Gemini CLI", () => {
  sessionLoops(gemini);
});
