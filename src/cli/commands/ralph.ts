// converge ralph: the same loop as in a session, but in the terminal and with an agent that we start.
import type { Command } from "../support/command.ts";
import { RUN_EXIT_CODES } from "../support/exit-code.ts";
import {
  agentFlags,
  DETACH,
  GATE,
  gateFlags,
  JSON_EVENTS,
  limitFlags,
  taskFrom,
  workspaceFlags,
} from "../support/flags.ts";
import type { StartFlags } from "../support/start-run.ts";

const options = [
  ...limitFlags({ iterations: "100", time: "8h without a terminal, else none" }),
  {
    flags: "--completion-promise <text>",
    description: "text that the agent has to print in <promise>…</promise> (default: DONE)",
    key: "promise",
  },
  GATE,
  ...gateFlags,
  {
    flags: "--no-gates",
    description: "ignore the gates of the task file: only the promise counts",
    key: "gates",
    toTask: (hasGates: boolean) => (hasGates ? undefined : []),
  },
  ...agentFlags,
  ...workspaceFlags,
  JSON_EVENTS,
  DETACH,
];

export const command: Command = {
  name: "ralph",
  description: "run an agent until it promises that it is done and the gates, if any, pass",
  arguments: [{ name: "<task...>", description: "the task for the agent" }],
  options,
  notes: `Other settings come from converge.yaml if it exists; so do the gates, without --gate and --no-gates.
In an interactive session, /ralph does the same: see converge hook install --help.`,
  examples: [
    'converge ralph "Port the parser to TypeScript." --max-iterations 30',
    'converge ralph "Fix all type errors in src/." --gate "npx tsc --noEmit" --completion-promise ALL_FIXED',
  ],
  exitCodes: RUN_EXIT_CODES,
  async run([words]: [readonly string[]], flags: StartFlags) {
    const task = { ...taskFrom(options, flags), prompt: words.join(" "), requirePromise: true };
    const { LOOP_DEFAULTS } = await import("#hooks/sessions/session-task");
    const { fileFrom, start } = await import("../support/start-run.ts");
    return start({ ...fileFrom(undefined), flags: task, defaults: LOOP_DEFAULTS }, flags);
  },
};
