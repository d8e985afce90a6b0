// What the real CLIs are recorded in: the model's script, and how the call differs from the usual unattended one.
import { UNATTENDED } from "../support/call-agent.ts";
import type { Complaint, Script, Turn } from "../support/model-server/script.ts";
import type { AgentName, Environment, World } from "../support/real-agents.ts";

export interface Scenario {
  readonly script: Script;
  /** What the model says to requests without tools. */
  readonly aside?: Turn;
  readonly world?: World;
  readonly args?: readonly string[];
  readonly env?: Environment;
  /** The arguments of a second call, which is the one recorded; they continue the session of the first. */
  readonly resuming?: (session: string) => readonly string[];
}

type ForAgent = (agent: AgentName) => Scenario | undefined;

const FIXES: Script = [
  { say: "I will fix it.", shell: "echo fixed > a.txt" },
  { say: "It is fixed.", usage: { input: 1200, output: 30, cached: 1000 } },
];

/** The model complains however often it is asked; the CLI tries a second time and gives up. */
function complains(kind: Complaint, headers: Readonly<Record<string, string>> = {}): Scenario {
  const aside: Turn = { error: { kind, headers } };
  return { script: () => aside, aside, world: { retries: 1 } };
}

const replaced = (args: readonly string[], from: string, to: string) =>
  args.map((arg) => (arg === from ? to : arg));

/** The modes in which a shell command needs leave that nobody can give. */
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

/** What is refused differs: Gemini does not even offer its shell, and Codex tells only of patches. */
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

/** The limit of a subscription rather than of a key. */
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
  // opencode asks for no key where its config names none.
  "not-logged-in": (agent) => (agent === "opencode" ? undefined : { script: [], world: { loggedOut: true } }),
  refused: (agent) => ({ script: REFUSED[agent], ...ASKING[agent] }),
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
