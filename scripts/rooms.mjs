// The rooms of src/: what each holds, and which others it may import. The one table behind the lint rules
// (.dependency-cruiser.mjs), the picture and the table in ARCHITECTURE.md (npm run house), and the numbers
// (npm run house -- --numbers).
const contracts = ["spec", "text", "rules"];
const adapters = ["agents", "gates", "memory", "workspaces", "stores"];
const pureCore = [...contracts, "options", "prompt", "strategies", "loop"];
const parts = ["system", "classify", "parsers", ...adapters, "config", "catalog"];

const table = {
  spec: { holds: "contracts: task, event, run, verdict, decision, ports, errors", imports: [] },
  text: {
    holds: "pure text helpers, and the words and formats that terminal, page and report share",
    imports: ["spec"],
  },
  rules: {
    holds:
      "pure rules that the loop, the strategies and the views share: success, best iteration, failing tests",
    imports: ["spec", "text"],
  },
  options: {
    holds: "schemas of the values that a task file and the options of parts are made of, and their messages",
    imports: contracts,
  },
  prompt: { holds: "what the agent is told: compose, feedback, templates", imports: contracts },
  strategies: {
    holds: "when to stop: fixed, hybrid, ralph, manual, adaptive; each a pure function of the run so far",
    imports: [...contracts, "options"],
  },
  loop: {
    holds: "what comes next: the loop, its steps, the fold of events, limits, gate policies, recovery",
    imports: [...contracts, "prompt"],
  },
  system: {
    holds: "the only code that touches the machine: processes, files, git, clock, secrets, sandbox",
    imports: [],
  },
  parsers: {
    holds: "parsers of what test runners, compilers and linters print; pure",
    imports: contracts,
  },
  classify: {
    holds: "the class of every file of a workspace: source, test, steering, dependency or output",
    imports: [...contracts, "system"],
  },
  agents: {
    holds: "adapters of the agent port: coding-agent CLIs, ACP, any command, sessions",
    imports: [...contracts, "options", "system"],
  },
  gates: {
    holds:
      "adapters of the gate port: command, levels, CI, approval, convergence, judge; clean rooms around them",
    imports: [...contracts, "options", "system", "parsers"],
  },
  memory: {
    holds: "adapters of the memory port, and the summarizers they ask",
    imports: [...contracts, "options", "system"],
  },
  workspaces: {
    holds: "adapters of the workspace port: snapshots in a shadow repository, protected files, delivery",
    imports: [...contracts, "system", "classify"],
  },
  stores: {
    holds: "adapters of the store port: SQLite, Postgres, in memory, each with a hash chain",
    imports: [...contracts, "system"],
  },
  config: {
    holds: "a task file, flags or an object become a `Task`",
    imports: [...contracts, "options", "prompt", "system", "classify", "workspaces"],
  },
  catalog: {
    holds: "a name becomes a living part: registries, built-ins, custom modules",
    imports: [...contracts, "options", "strategies", "system", "config", ...adapters],
  },
  state: {
    holds: "the state folder, the open store, locks and claims; find and load runs",
    imports: [...contracts, "loop", "system", "stores"],
  },
  views: {
    holds: "read models: overview, list, iteration, logs, what was learned",
    imports: [...contracts, "loop", "strategies", "system", "state"],
  },
  observers: {
    holds: "who hears of events: notifications, telemetry, user commands, state copies, log sender",
    imports: [...contracts, "loop", "strategies", "system", "state", "views"],
  },
  runs: {
    holds: "what can be done with a run: run, resume, tell, end, deliver, restore, submit, export",
    imports: [...pureCore, ...parts, "state", "views", "observers"],
  },
  report: {
    holds: "a run as one file: HTML, Markdown or JUnit XML",
    imports: [...contracts, "state", "views", "runs"],
  },
  backtest: {
    holds: "strategies replayed on recorded runs and logs",
    imports: [...contracts, "options", "loop", "strategies", "catalog", "state", "report"],
  },
  sdk: {
    holds: "`converge(task)` for TypeScript programs",
    imports: [...contracts, "config", "catalog", "state", "views", "runs"],
  },
  hooks: {
    holds: "session loops: hooks of Claude Code, Codex, Gemini CLI and opencode, and their installers",
    imports: [...pureCore, "system", "agents", "config", "catalog", "state", "views", "runs"],
  },
  server: {
    holds: "the HTTP API as one table of routes, and the page",
    imports: [...contracts, "options", "system", "config", "state", "views", "runs"],
  },
  engine: {
    holds: "many machines: the queue and the workers",
    imports: [...contracts, "system", "catalog", "state", "views", "runs"],
  },
  cli: {
    holds: "commands, and what people see in a terminal",
    imports: [
      ...[...contracts, "options", "loop", "system", "config", "catalog", "state", "views", "observers"],
      ...["runs", "report", "backtest", "hooks", "server", "engine"],
    ],
  },
  testing: {
    holds: "conformance suites, one per port, exported as `converge-loop/testing`",
    imports: contracts,
  },
};

/** What each room holds, in one sentence. */
export const holds = Object.fromEntries(Object.entries(table).map(([room, entry]) => [room, entry.holds]));

/** Which rooms each room may import. */
export const rooms = Object.fromEntries(Object.entries(table).map(([room, { imports }]) => [room, imports]));

/** Rooms that may not touch Node itself: they are pure. */
export const pure = ["spec", "text", "rules", "options", "loop", "strategies", "prompt", "parsers"];

/** Rooms with one folder per adapter, which never import each other. */
export const adapterRooms = adapters;
