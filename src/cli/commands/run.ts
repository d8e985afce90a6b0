// converge run
import type { Command } from "../support/command.ts";
import { RUN_EXIT_CODES } from "../support/exit-code.ts";
import {
  agentFlags,
  DELIVER,
  DETACH,
  GATE,
  gateFlags,
  JSON_EVENTS,
  limitFlags,
  PROFILE,
  PROMPT,
  protectFlags,
  runFlags,
  TASK_FILE,
  taskFrom,
  WAIT,
  workspaceFlags,
} from "../support/flags.ts";
import type { StartFlags } from "../support/start-run.ts";

const options = [
  PROMPT,
  ...agentFlags,
  GATE,
  ...gateFlags,
  ...limitFlags({ iterations: "20", time: "8h without a terminal, else none" }),
  ...workspaceFlags,
  ...runFlags,
  ...protectFlags,
  DELIVER,
  WAIT,
  PROFILE,
  JSON_EVENTS,
  DETACH,
  { flags: "--ui", description: "serve the page during the run, and print its address" },
  { flags: "--dry-run", description: "print what would run and its limits, and start nothing" },
];

export const command: Command = {
  name: "run",
  description: "run an agent until the gates pass",
  arguments: [TASK_FILE],
  options,
  examples: [
    ["converge run", "the task in converge.yaml"],
    ['converge run -p "Make the tests pass." --gate "npm test"', "with the first agent that is installed"],
    'converge run -p "Make the tests pass." --agent codex --gate "npm test"',
    'converge run -p "Make the tests pass." --agent-cmd "./my-agent" --gate "npm test"',
    "converge run fix.yaml --max-iterations 5 --workspace worktree",
  ],
  exitCodes: RUN_EXIT_CODES,
  async run([file]: [string?], flags: StartFlags) {
    const task = taskFrom(options, flags);
    const { fileFrom, start } = await import("../support/start-run.ts");
    return start({ ...fileFrom(file), flags: task }, flags);
  },
};
