// Who may import whom: the one table behind the lint rule (.dependency-cruiser.mjs) and the picture (npm run house).
const contracts = ["spec", "text", "rules"];
const adapters = ["agents", "gates", "memory", "workspaces", "stores"];
const core = [...contracts, "system", "classify", "parsers", "prompt", "strategies", "loop", ...adapters];

export const rooms = {
  spec: [],
  // Pure helpers for text, and the words and formats that terminal, page and report share.
  text: ["spec"],
  // Pure rules that the loop, the strategies and the views share: success, best iteration, failing tests.
  rules: ["spec", "text"],
  system: [],
  prompt: contracts,
  strategies: contracts,
  loop: [...contracts, "prompt"],
  // What kind of file a path is: read from the base, used by whoever treats tests and source differently.
  classify: [...contracts, "system"],
  ...Object.fromEntries(adapters.map((room) => [room, [...contracts, "system"]])),
  workspaces: [...contracts, "system", "classify"],
  // What test runners, compilers and linters print becomes test counts and failures.
  parsers: contracts,
  gates: [...contracts, "system", "parsers"],
  app: core,
  // A hook also lives inside other programs, where it has to find and ask the command by itself.
  hooks: [...contracts, "app", "system"],
  server: [...contracts, "app"],
  // Many machines: a queue and workers.
  engine: [...contracts, "app", "system"],
  cli: [...contracts, "app", "hooks", "server", "engine"],
  // Conformance suites talk to the ports, and to the vocabulary they are written in.
  testing: contracts,
};

/** Rooms that may not touch Node itself: they are pure. */
export const pure = ["spec", "text", "rules", "loop", "strategies", "prompt", "parsers"];
