// Driver for opencode: `opencode run --format json`.

import { splitCommands, withoutRedirections } from "#system/shell";
import type { Ask, Driver } from "../shared/driver.ts";
import { flag } from "./flag.ts";
import { openCodeReader } from "./opencode-reader.ts";

type Action = "allow" | "deny";
type Permission = Readonly<Record<string, Action | Readonly<Record<string, Action>>>>;

/**
 * Denies what opencode would ask about: an unanswered question ends its turn, but it can work around a rule. Without any
 * allowed command its shell would be hidden, and refusals would not be reported; so allow `true`.
 */
function restricted(commands: readonly string[], told?: string): Permission {
  const simple = commands.flatMap(splitCommands).flatMap((one) => [one, withoutRedirections(one)]);
  const allowed = [...simple, "true"].flatMap((one) => [one, `${one} *`]);
  return {
    edit: "allow",
    bash: { "*": "deny", ...Object.fromEntries(allowed.map((pattern) => [pattern, "allow"] as const)) },
    external_directory: told === undefined ? "deny" : { "*": "deny", [`${told}/*`]: "allow" },
    doom_loop: "deny",
    read: { "*.env": "deny", "*.env.*": "deny", "*.env.example": "allow" },
  };
}

function permission({ permissions, access, commands, told }: Ask): Permission {
  if (access === "read") return { ...restricted([]), edit: "deny", bash: "deny" };
  return permissions === "all" ? { "*": "allow" } : restricted(commands, told);
}

export const opencode: Driver<"opencode"> = {
  name: "opencode",
  title: "opencode",
  program: "opencode",
  install: "npm install -g opencode-ai",
  login: {
    how: "run `opencode auth login`, or set the key of the model's provider, such as ANTHROPIC_API_KEY",
    variables: [
      "OPENCODE_API_KEY",
      "ANTHROPIC_API_KEY",
      "OPENAI_API_KEY",
      "GEMINI_API_KEY",
      "OPENROUTER_API_KEY",
    ],
    files: [
      ".local/share/opencode/auth.json",
      ".config/opencode/opencode.json",
      ".config/opencode/opencode.jsonc",
    ],
  },
  variables: [
    ...["OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "AWS_*", "AZURE_*", "CLOUDFLARE_*"],
    ...["OPENROUTER_API_KEY", "GROQ_API_KEY", "XAI_API_KEY", "DEEPSEEK_API_KEY", "MISTRAL_API_KEY"],
    ...["CEREBRAS_API_KEY", "MOONSHOT_API_KEY", "ZHIPU_API_KEY", "DASHSCOPE_API_KEY"],
  ],
  // It does not need to write to its settings in .config/opencode.
  state: [".local/share/opencode", ".local/state/opencode", ".cache/opencode"],
  settings: [],
  stdin: true,
  resumes: true,
  knowsCommands: true,
  call: (ask) => ({
    args: [
      ...["run", "--format", "json"],
      ...flag("--model", ask.model),
      ...flag("--session", ask.session),
      ...(ask.permissions === "all" && ask.access === "write" ? ["--auto"] : []),
    ],
    env: {
      // Overrides the user's settings without changing them.
      OPENCODE_PERMISSION: JSON.stringify(permission(ask)),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
    },
  }),
  reader: openCodeReader,
};
