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

/** The arguments that Qwen Code, a fork, has in common with Gemini CLI. */
export function geminiArguments(ask: Ask, permissions: readonly string[]): readonly string[] {
  return [
    ...["--output-format", "stream-json"],
    ...flag("--model", ask.model),
    ...flag("--resume", ask.session),
    ...flag("--include-directories", ask.told),
    ...permissions,
  ];
}

/** The names of settings files and folders, which Qwen Code has in common with Gemini CLI. */
export const GEMINI_SETTINGS = [
  ...["settings.json", "trustedFolders.json", ".env"],
  ...["commands", "extensions", "skills", "agents", "hooks"],
];

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
  settings: [...GEMINI_SETTINGS, "policies", "GEMINI.md"].map((name) => `.gemini/${name}`),
  stdin: true,
  resumes: true,
  knowsCommands: true,
  call: (ask) => ({
    args: geminiArguments(ask, permissions(ask)),
    // The user who starts a run trusts the folder, unless the variable says otherwise.
    env: { GEMINI_CLI_TRUST_WORKSPACE: process.env.GEMINI_CLI_TRUST_WORKSPACE || "true" },
  }),
  reader: geminiReader,
};
