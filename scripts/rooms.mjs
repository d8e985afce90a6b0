// Who may import whom: the one table behind the lint rule (.dependency-cruiser.mjs) and the picture (npm run house).
const contracts = ["spec"];
const adapters = ["agents", "gates", "memory", "workspaces", "stores"];
const core = ["spec", "system", "classify", "prompt", "strategies", "loop", ...adapters];

export const rooms = {
  spec: [],
  system: [],
  prompt: contracts,
  strategies: contracts,
  loop: ["spec", "prompt"],
  // What kind of file a path is: read from the base, used by whoever treats tests and source differently.
  classify: ["spec", "system"],
  ...Object.fromEntries(adapters.map((room) => [room, ["spec", "system"]])),
  workspaces: ["spec", "system", "classify"],
  app: core,
  // A hook also lives inside other programs, where it has to find and ask the command by itself.
  hooks: ["spec", "app", "system"],
  server: ["spec", "app"],
  // Many machines: a queue and workers.
  engine: ["spec", "app", "system"],
  cli: ["spec", "app", "hooks", "server", "engine"],
  // Conformance suites talk to the ports, and to the vocabulary they are written in.
  testing: ["spec"],
};

/** Rooms that may not touch Node itself: they are pure. */
export const pure = ["spec", "loop", "strategies", "prompt"];
