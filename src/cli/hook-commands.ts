// Defines `converge hook` and its subcommands, for loops inside agent sessions.
import type { Command } from "commander";
import type { Action } from "./support/action.ts";

export function hookCommands(program: Command, action: Action, looking: Action): void {
  const hook = program.command("hook").description("loops inside interactive sessions of agent programs");
  const load = () => import("./commands/hook.ts");
  hook
    .argument("[hook]", "which hook of which program, like claude-stop; its JSON is read from standard input")
    .action(action(async (name) => (name === undefined ? hook.help() : (await load()).happened(name))));
  const installing = () => import("./commands/hook-install.ts");
  const scoped = (command: Command) =>
    command
      .argument("<program>", "claude, opencode, codex or gemini")
      .option("--user", "in your own settings, for all projects (default)")
      .option("--project", "in the settings of the present folder");
  scoped(hook.command("install"))
    .description("let /ralph loop inside the sessions of an agent program; nothing of yours is overwritten")
    .option("--max-iterations <n>", "with claude: the most that its sessions are to go on for (default: 100)")
    .addHelpText(
      "after",
      `
Examples:
  converge hook install claude                  then, in Claude Code: /ralph "Fix the parser." --gate "npm test"
  converge hook install opencode --project      for this folder only
  converge hook uninstall claude                takes away exactly what was added`,
    )
    .action(looking(async (name, flags) => (await installing()).install(name, flags)));
  scoped(hook.command("uninstall"))
    .description("take away what install has added")
    .action(looking(async (name, flags) => (await installing()).uninstall(name, flags)));
  hook
    .command("session", { hidden: true })
    .description("keeps session loops for a program that asks on standard input")
    .action(action(async () => (await load()).session()));
}
