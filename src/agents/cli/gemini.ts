// Driver for Gemini CLI: `gemini --output-format stream-json`, with the prompt on standard input.
import type { Ask, Driver } from "../shared/driver.ts";
import { flag } from "./flag.ts";
import { policy } from "./gemini-policy.ts";
import { geminiReader } from "./gemini-reader.ts";

function permissions(ask: Ask): string[] {
  if (ask.access === "read") return ["--approval-mode", "default", ...policy(ask)];
  if (ask.permissions === "all") return ["--approval-mode", "yolo"];
  return ["--approval-mode", "auto_edit", ...policy(ask)];
}

export const gemini: Driver<"gemini"> = {
  name: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  install: "npm install -g @google/gemini-cli",
  login: {
    how: "run `gemini` once and sign in, or set GEMINI_API_KEY",
    variables: [
      "GEMINI_API_KEY",
      "GOOGLE_API_KEY",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "GOOGLE_GENAI_USE_VERTEXAI",
    ],
    files: [".gemini/oauth_creds.json", ".gemini/gemini-credentials.json"],
  },
  variables: ["GEMINI_*", "GOOGLE_*", "CLOUD_SHELL"],
  state: [".gemini"],
  settings: [
    ...["settings.json", "policies", "trustedFolders.json", "GEMINI.md", ".env"],
    ...["commands", "extensions", "skills", "agents", "hooks"],
  ].map((name) => `.gemini/${name}`),
  stdin: true,
  resumes: true,
  knowsCommands: true,
  call: (ask) => ({
    args: [
      ...["--output-format", "stream-json"],
      ...flag("--model", ask.model),
      ...flag("--resume", ask.session),
      ...flag("--include-directories", ask.told),
      ...permissions(ask),
    ],
    // Whoever starts a run trusts the folder, unless the variable says otherwise.
    env: { GEMINI_CLI_TRUST_WORKSPACE: process.env.GEMINI_CLI_TRUST_WORKSPACE || "true" },
  }),
  reader: geminiReader,
};
