// The recorded scenarios: the model's script, and how the call differs from the usual unattended one.
import { UNATTENDED } from "../support/call-agent.ts";
import type { Complaint, Script, Turn } from "../support/model-server/script.ts";
import type { AgentName, Environment, World } from "../support/real-agents.ts";

export interface Scenario {
  readonly script: Script;
  /** The model's answer to requests without tools. */
  readonly aside?: Turn;
  readonly world?: World;
  readonly args?: readonly string[];
  readonly env?: Environment;
  /** The arguments of a second call, which continues the first one's session and is the one recorded. */
  readonly resuming?: (session: string) => readonly string[];
}

type ForAgent = (agent: AgentName) => Scenario | undefined;

const FIXES: Script = [
  { say: "I will fix it.", shell: "echo fixed > a.txt" },
  { say: "It is fixed.", usage: { input: 1200, output: 30, cached: 1000 } },
];

/** Every model request fails; the CLI retries once and gives up. */
function complains(kind: Complaint, headers: Readonly<Record<string, string>> = {}): Scenario {
  const aside: Turn = { error: { kind, headers } };
  return { script: () => aside, aside, world: { retries: 1 } };
}

const replaced = (args: readonly string[], from: string, to: string) =>
  args.map((arg) => (arg === from ? to : arg));

/** Modes in which a shell command needs a permission that nobody can give. */
const ASKING: Record<AgentName, Pick<Scenario, "args" | "env">> = {
  claude: { args: UNATTENDED.claude.args.slice(0, 4) },
  codex: { args: replaced(UNATTENDED.codex.args, "workspace-write", "read-only") },
  opencode: { env: { OPENCODE_PERMISSION: JSON.stringify({ bash: "ask" }) } },
  gemini: { args: replaced(UNATTENDED.gemini.args, "yolo", "default") },
};

const RESUMING: Record<AgentName, (session: string) => readonly string[]> = {
  claude: (session) => [...UNATTENDED.claude.args, "--resume", session],
  codex: (session) => ["exec", "--json", "--skip-git-repo-check", "resume", session, "-"],
  opencode: (session) => [...UNATTENDED.opencode.args, "--session", session],
  gemini: (session) => [...UNATTENDED.gemini.args, "--resume", session],
};

const TESTS: Script = [{ say: "I will run the tests.", shell: "npm test" }, { say: "I could not." }];

/** The refused call differs: Gemini does not offer its shell, and Codex reports only patches. */
const REFUSED: Record<AgentName, Script> = {
  claude: TESTS,
  opencode: TESTS,
  gemini: [{ call: { name: "run_shell_command", input: { command: "npm test" } } }, { say: "I could not." }],
  codex: [
    { shell: "echo fixed > a.txt" },
    { write: { path: "a.txt", text: "fixed\n" } },
    { say: "I could not." },
  ],
};

/** Rules that refuse without asking: the agent sees the refusal and continues. */
const RULED: Partial<Record<AgentName, Pick<Scenario, "args" | "env">>> = {
  opencode: { env: { OPENCODE_PERMISSION: JSON.stringify({ bash: { "*": "deny", true: "allow" } }) } },
  gemini: {
    args: [
      ...replaced(UNATTENDED.gemini.args, "yolo", "auto_edit"),
      "--allowed-tools",
      "run_shell_command(true)",
    ],
  },
};

/** The limit of a subscription rather than of an API key. */
const USAGE_LIMIT: Partial<Record<AgentName, Scenario>> = {
  claude: {
    ...complains("rate-limit", {
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": "4070908800",
      "anthropic-ratelimit-unified-representative-claim": "five_hour",
    }),
    world: { retries: 1, loggedOut: true },
    env: { CLAUDE_CODE_OAUTH_TOKEN: "test-token" },
  },
  codex: {
    script: () => ({
      error: {
        kind: "quota",
        body: { error: { type: "usage_limit_reached", plan_type: "plus", resets_at: 4_070_908_800 } },
      },
    }),
    world: { retries: 1 },
  },
};

function unknownModel(agent: AgentName): Scenario {
  const model = agent === "opencode" ? "scripted/no-such-model" : "no-such-model";
  return { ...complains("unknown-model"), args: [...UNATTENDED[agent].args, "--model", model] };
}

export const SCENARIOS: Readonly<Record<string, ForAgent>> = {
  fixes: () => ({ script: FIXES }),
  says: () => ({ script: [{ say: "There is nothing to do." }] }),
  "rate-limited": () => complains("rate-limit", { "retry-after": "2" }),
  overloaded: () => complains("overloaded"),
  quota: () => complains("quota"),
  "usage-limit": (agent) => USAGE_LIMIT[agent],
  "wrong-key": () => complains("auth"),
  // opencode needs no key when its config names none.
  "not-logged-in": (agent) => (agent === "opencode" ? undefined : { script: [], world: { loggedOut: true } }),
  refused: (agent) => ({ script: REFUSED[agent], ...ASKING[agent] }),
  ruled: (agent) => RULED[agent] && { script: TESTS, ...RULED[agent] },
  "context-too-long": () => complains("context-too-long"),
  resumed: (agent) => ({
    script: [{ say: "Remember me." }, { say: "I do remember." }],
    resuming: RESUMING[agent],
  }),
  "unknown-model": unknownModel,
  "bad-flag": (agent) => ({ script: [], args: [...UNATTENDED[agent].args, "--no-such-flag"] }),
  "as-root": (agent) =>
    agent === "claude"
      ? { script: FIXES, args: [...UNATTENDED.claude.args.slice(0, 4), "--dangerously-skip-permissions"] }
      : undefined,
};
