// Entry point of the CLI: defines commands and options, and loads each command's module lazily.
import { Command } from "commander";
import { ConflictError, ExtensionError, TamperedError, UsageError } from "#spec/errors";
import { clusterCommands } from "./cluster-commands.ts";
import { hookCommands } from "./hook-commands.ts";
import { backtestCommand, modelCommands } from "./learning-commands.ts";
import { notifyCommands } from "./notify-commands.ts";
import { reportCommand, transferCommands } from "./report-commands.ts";
import { serveCommand } from "./serve-command.ts";
import type { Action } from "./support/action.ts";
import { onReaderGone } from "./support/broken-pipe.ts";
import { collect } from "./support/collect.ts";
import { INTERNAL_ERROR, USAGE_ERROR } from "./support/exit-code.ts";

const RUN = "id of the run, a unique beginning of it, or `last`";
const EXIT_CODES = `
Exit codes: 0 converged, 1 diverged, 2 usage or config error, 3 blocked, 4 waiting for a person or paused,
            5 error, 6 accepted although a gate is red, 7 converged but not delivered, 130 stopped`;

function startingCommands(program: Command, action: Action): void {
  program
    .command("run")
    .description("run an agent until the gates pass")
    .argument("[task]", "task file (default: converge.yaml, if there is one)")
    .option("-p, --prompt <text>", "what is wanted")
    .option("--agent <name>", "agent to use (default: the first that is installed; see converge agents)")
    .option("--agent-cmd <command>", "any command as the agent; it gets the prompt on standard input")
    .option("--gate <command>", "command that must pass; may be given several times", collect)
    .option(
      "--gate-timeout <duration>",
      "time limit of a gate that has none of its own, like 20m (default: 10m)",
    )
    .option(
      "--allow-errored-baseline",
      "start the agent although a gate cannot judge yet: it is to build what is missing",
    )
    .option("--strategy <name>", "fixed, hybrid, ralph, adaptive, manual or custom")
    .option("--max-iterations <n>", "limit of iterations (default: 20)")
    .option("--max-time <duration>", "limit of time, like 2h (default: 8h when nobody watches)")
    .option("--max-cost <usd>", "limit of money, in dollars")
    .option("--iteration-timeout <duration>", "most time for one agent run, like 20m")
    .option("--workspace <type>", "in-place or worktree")
    .option("--isolation <type>", "auto, off, strict or runtime: how far the agent is shut off")
    .option("--require-isolation [tier]", "refuse less than contained, or than the tier given")
    .option("--clean-room", "judge a fresh copy of the files, in an environment the agent had no hand in")
    .option("--protect <glob>", "protect these files beside the default; may be given several times", collect)
    .option("--no-protect", "let the agent change everything, tests included")
    .option("--deliver <how>", "branch, commit, patch or pull-request, once the gates pass")
    .option("--wait", "when a person is asked, stay and go on as soon as there is an answer")
    .option("--profile <name>", "profile of the task file to use")
    .option("--json", "print events as JSON lines, and nothing else")
    .option("--detach", "go on in the background")
    .option("--ui", "serve the page beside the run, and say where")
    .option("--dry-run", "print what would run and the most it can take; start nothing")
    .addHelpText(
      "after",
      `
Examples:
  converge run                                  the task in converge.yaml
  converge run -p "Make the tests pass." --gate "npm test"          with the first agent that is installed
  converge run -p "Make the tests pass." --agent codex --gate "npm test"
  converge run -p "Make the tests pass." --agent-cmd "./my-agent" --gate "npm test"
  converge run fix.yaml --max-iterations 5 --workspace worktree
${EXIT_CODES}`,
    )
    .action(action(async (file, flags) => (await import("./commands/run.ts")).run(file, flags)));
  program
    .command("ralph")
    .description("run an agent until it promises to be done, and the gates, if there are any, pass")
    .argument("<task...>", "what is wanted")
    .option("--max-iterations <n>", "most iterations (default: 100)")
    .option("--completion-promise <text>", "what the agent says in <promise>…</promise> (default: DONE)")
    .option("--gate <command>", "command that must pass as well; may be given several times", collect)
    .option(
      "--gate-timeout <duration>",
      "time limit of a gate that has none of its own, like 20m (default: 10m)",
    )
    .option(
      "--allow-errored-baseline",
      "start the agent although a gate cannot judge yet: it is to build what is missing",
    )
    .option("--no-gates", "the promise alone counts, also where a task file has gates")
    .option("--agent <name>", "agent to use (default: the first that is installed; see converge agents)")
    .option("--agent-cmd <command>", "any command as the agent; it gets the prompt on standard input")
    .option("--max-time <duration>", "most time, like 2h")
    .option("--max-cost <usd>", "most money, in dollars")
    .option("--workspace <type>", "in-place or worktree")
    .option("--isolation <type>", "auto, off, strict or runtime: how far the agent is shut off")
    .option("--json", "print events as JSON lines, and nothing else")
    .option("--detach", "go on in the background")
    .addHelpText(
      "after",
      `
Settings, and gates unless --gate or --no-gates says otherwise, come from converge.yaml, if there is one. In a session of
your own, /ralph does the same: see converge hook install --help.

Examples:
  converge ralph "Port the parser to TypeScript." --max-iterations 30
  converge ralph "Fix all type errors in src/." --gate "npx tsc --noEmit" --completion-promise ALL_FIXED
${EXIT_CODES}`,
    )
    .action(action(async (task, flags) => (await import("./commands/ralph.ts")).ralph(task, flags)));
  program
    .command("resume")
    .description("go on with a run that was killed, paused, stopped or blocked")
    .argument("[run]", RUN, "last")
    .option("--max-iterations <n>", "a new limit")
    .option("--max-time <duration>", "a new limit")
    .option("--max-cost <usd>", "a new limit")
    .option("--wait", "when a person is asked, stay and go on as soon as there is an answer")
    .option("--allow-errored-baseline", "start the agent although a gate cannot judge the baseline")
    .option("--here", "drive it on this machine, also when it was given to the workers")
    .option("--json", "print events as JSON lines, and nothing else")
    .action(action(async (run, flags) => (await import("./commands/resume.ts")).resume(run, flags)));
  program
    .command("validate")
    .description("check a task without starting anything, and list what is protected")
    .argument("[task]", "task file (default: converge.yaml, if there is one)")
    .option("-p, --prompt <text>", "what is wanted")
    .option("--agent <name>", "agent to use (default: the first that is installed; see converge agents)")
    .option("--agent-cmd <command>", "any command as the agent; it gets the prompt on standard input")
    .option("--gate <command>", "command that must pass; may be given several times", collect)
    .option("--protect <glob>", "protect these files beside the default; may be given several times", collect)
    .option("--no-protect", "let the agent change everything, tests included")
    .option("--why <path>", "print the class of a file, the reason, and whether it is protected")
    .option("--profile <name>", "profile of the task file to use")
    .option("--json", "print the resolved task")
    .action(action(async (file, flags) => (await import("./commands/validate.ts")).validate(file, flags)));
}

function lookingCommands(program: Command, action: Action): void {
  program
    .command("agents")
    .description("list coding agents: which are installed, their versions, and whether they are logged in")
    .option("--json", "one JSON line an agent")
    .action(action(async (flags) => (await import("./commands/agents.ts")).agents(flags)));
  program
    .command("ls")
    .description("list runs, newest first")
    .option("-a, --all", "all of them")
    .option("-n, --limit <n>", "how many (default: 20)")
    .option("--json", "one JSON line a run")
    .action(action(async (flags) => (await import("./commands/ls.ts")).ls(flags)));
  program
    .command("show")
    .description("what a run did and how it stands")
    .argument("[run]", RUN, "last")
    .option("--protected", "list what is protected, and why")
    .option("--json", "the whole run as JSON")
    .action(action(async (run, flags) => (await import("./commands/show.ts")).show(run, flags)));
  program
    .command("watch")
    .description("look at a run while it goes on")
    .argument("[run]", RUN, "last")
    .option("--json", "print events as JSON lines, and nothing else")
    .action(action(async (run, flags) => (await import("./commands/watch.ts")).watch(run, flags)));
  program
    .command("logs")
    .description("full output of agents and gates")
    .argument("[run]", RUN, "last")
    .option("--iteration <n>", "only this iteration; 0 is the baseline")
    .option("-f, --follow", "go on as it grows")
    .option("--json", "list the log files instead")
    .action(action(async (run, flags) => (await import("./commands/logs.ts")).logs(run, flags)));
  program
    .command("diff")
    .description("what a run, or one iteration of it, changed")
    .argument("[run]", RUN, "last")
    .argument("[from]", "iteration, base, best, last, now or a kept tree; alone: what that iteration did")
    .argument("[to]", "likewise")
    .option("--undone", "the agent's changes to protected files that were undone in that iteration")
    .action(
      action(async (run, from, to, { undone }) =>
        (await import("./commands/snapshots.ts")).diff(run, { from, to, undone }),
      ),
    );
  program
    .command("restore")
    .description("put a snapshot back into the workspace; the present state is saved first")
    .argument("<run>", RUN)
    .option("--iteration <n>", "a number, base, best, last or a kept tree", "best")
    .option("--json", "say it as JSON")
    .action(action(async (run, flags) => (await import("./commands/snapshots.ts")).restore(run, flags)));
}

function deliveringCommand(program: Command, action: Action): void {
  program
    .command("deliver")
    .description("hand over the work of a run that has ended: later, again, or in another way")
    .argument("<run>", RUN)
    .option("--as <how>", "branch, commit, patch or pull-request (default: as the task says)")
    .option("--branch <name>", "name of the branch (default: converge/RUN)")
    .option("--file <path>", "file for the patch (default: in the state folder)")
    .option("--remote <name>", "where the branch of a pull request is pushed to (default: origin)")
    .option("--base <branch>", "branch that the pull request is meant for")
    .option("--message <text>", "commit message, and title of a pull request")
    .option("--when-red", "also when gates are red")
    .option("--json", "say it as JSON")
    .addHelpText(
      "after",
      `
Examples:
  converge deliver last --as branch             a branch converge/RUN; what is checked out stays as it is
  converge deliver last --as commit             a commit on the branch that is checked out
  converge deliver last --as patch --file fix.patch
  converge deliver k3f9x2ab                     as the task says, again after a problem

Exit codes: 0 delivered, 2 refused, 7 not delivered as asked; it says where the work is instead`,
    )
    .action(action(async (run, flags) => (await import("./commands/deliver.ts")).deliver(run, flags)));
}

function tellingCommands(program: Command, action: Action): void {
  const tell = () => import("./commands/tell.ts");
  program
    .command("stop")
    .description("end a run; its agent is ended too, everything done so far is kept")
    .argument("<run>", RUN)
    .option("--reason <text>", "why")
    .action(action(async (run, flags) => (await tell()).stop(run, flags)));
  program
    .command("pause")
    .description("let a run stop after its present step, to be resumed")
    .argument("<run>", RUN)
    .action(action(async (run) => (await tell()).pause(run)));
  program
    .command("steer")
    .description("say something to the next iteration")
    .argument("<run>", RUN)
    .argument("<text...>", "what it should know")
    .action(action(async (run, text) => (await tell()).steer(run, text)));
  program
    .command("decide")
    .description("decide about the present iteration")
    .argument("<run>", RUN)
    .argument("<choice>", "continue, accept, stop or rollback")
    .option("--feedback <text>", "words for the next iteration")
    .option("--iteration <n>", "with rollback: where to (default: the best one)")
    .action(action(async (run, choice, flags) => (await tell()).decide(run, choice, flags)));
  for (const type of ["approve", "reject"] as const)
    program
      .command(type)
      .description(`${type} a gate that waits for a person`)
      .argument("<run>", RUN)
      .argument("[gate]", "name of the gate (default: the one that waits)")
      .option("--message <text>", "why")
      .option("--as <name>", "who says so (default: your user name)")
      .action(action(async (run, gate, flags) => (await tell()).answer(type, run, gate, flags)));
}

async function complain(error: unknown): Promise<number> {
  const ofUse = error instanceof UsageError || error instanceof ExtensionError;
  const known = ofUse || error instanceof ConflictError || error instanceof TamperedError;
  const text = known ? (error as Error).message : ((error as Error).stack ?? String(error));
  const { mask } = await import("#system/mask-text");
  process.stderr.write(`converge: ${mask(text)}\n`);
  return ofUse ? USAGE_ERROR : INTERNAL_ERROR;
}

export async function main(argv: readonly string[]): Promise<void> {
  const action: Action =
    (work) =>
    async (...args) => {
      process.exitCode = await work(...args).catch(complain);
    };
  const looking: Action = (work) =>
    action((...args) => {
      onReaderGone(() => process.exit());
      return work(...args);
    });
  const program = new Command("converge")
    .description("Runs any coding agent, again and again, until your gates pass, and knows when to stop.")
    .option("-V, --version", "print the version")
    .showHelpAfterError("(converge --help, or converge COMMAND --help, says more)")
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : USAGE_ERROR))
    .addHelpText("after", EXIT_CODES);
  startingCommands(program, action);
  lookingCommands(program, looking);
  reportCommand(program, looking, RUN);
  transferCommands(program, action, RUN);
  deliveringCommand(program, action);
  modelCommands(program, looking);
  backtestCommand(program, looking);
  tellingCommands(program, action);
  notifyCommands(program, action);
  serveCommand(program, action);
  clusterCommands(program, action);
  hookCommands(program, action, looking);
  await program.parseAsync([...argv]);
}
